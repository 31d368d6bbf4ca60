/** Requests a URL and prints the error with its causes: java Connect.java URL */
class Connect {
    public static void main(String[] args) throws Exception {
        new java.net.URL(args[0]).openStream().close();
    }
}
