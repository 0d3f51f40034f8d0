import type { IncomingMessage, ServerResponse } from "node:http"
import { HttpServer } from "../servers/HttpServer.ts"

/** A file of a site, by its path. */
export type SiteFiles = Readonly<Record<string, string | Uint8Array>>

const mediaTypes: Readonly<Record<string, string>> = { js: "text/javascript", css: "text/css" }

/** Serves a site on loopback, from another origin than the API. */
export const serveSite = async (
  files: SiteFiles
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
  const respond = ({ url = "" }: IncomingMessage, response: ServerResponse) => {
    const path = new URL(url, "http://site").pathname
    const content = files[path]
    const type = mediaTypes[path.split(".").at(-1)!] ?? "text/html"
    response.writeHead(content === undefined ? 404 : 200, { "content-type": `${type}; charset=utf-8` }).end(content)
  }
  const server = await HttpServer.start(respond)
  return { url: `http://127.0.0.1:${server.port}/`, stop: () => server.stop() }
}
