import { forApplication } from "./application.config.js";

export default forApplication("node app.js");
