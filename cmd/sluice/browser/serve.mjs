// Starts the browser of all tests, prints the address that scripts reach it by, and ends it with the end of standard input.
import { chromium } from "playwright-core"

const server = await chromium.launchServer({
  executablePath: process.env.CHROMIUM,
  host: "127.0.0.1",
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  ],
})
console.log(server.wsEndpoint())
process.stdin.resume().on("end", () => server.close())
