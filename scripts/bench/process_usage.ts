/** Resources used by a process, from /proc on Linux. */

/** CPU time of all threads, and resident memory. */
export interface ProcessUsage {
  /** Microseconds, in steps of 10,000. */
  readonly cpu: number;
  /** MiB resident. */
  readonly rss: number;
}

/** Clock ticks per second in /proc/PID/stat: 100 on every Linux that runs Deno. */
const clockTicksPerSecond = 100;

/** Reads the usage; NaN on systems without /proc. */
export async function getProcessUsage(pid: number): Promise<ProcessUsage> {
  if (Deno.build.os !== "linux") return { cpu: NaN, rss: NaN };
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  // The name, in brackets, may contain spaces; utime and stime are the 14th and 15th field.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    cpu: (Number(fields[11]) + Number(fields[12])) * 1e6 / clockTicksPerSecond,
    rss: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024,
  };
}
