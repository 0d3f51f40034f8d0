import { createServer } from "node:net"

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/**
 * Returns a port on which no process listens, for servers that need a fixed port or must keep it over a restart. It is
 * below the range from which the system assigns ports, so no other process gets it in between.
 */
export const freePort = async (): Promise<number> => {
  while (true) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    if (await isFree(port)) return port
  }
}
