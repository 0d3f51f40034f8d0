import { createServer } from "node:net"

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/**
 * A port that nobody listens on, for what must be told its port, or keep it over a restart. It lies below those that the
 * system gives to whoever asks for any, so that nobody comes by it in between.
 */
export const freePort = async (): Promise<number> => {
  while (true) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    if (await isFree(port)) return port
  }
}
