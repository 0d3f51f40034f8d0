import type { Sheaf } from "../../src/program/testing/Sheaf.ts"

/** A response to a client of the kit. */
export interface KitResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

/** Sends a request with the key of an instance, which `headers` override. */
export const call = async (
  { key, url }: Pick<Sheaf, "key" | "url">,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {}
): Promise<KitResponse> => {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
}

/** Like `call`, and returns the body. Throws for a response that reports an error. */
export const given = async (...args: Parameters<typeof call>): Promise<any> => {
  const { body, status } = await call(...args)
  if (status >= 400) throw new Error(`${args[1]} ${args[2]}: ${status} ${body.detail}`)
  return body
}

/** Creates a note in the inbox and returns its id. */
export const noteIn = async (sheaf: Pick<Sheaf, "key" | "url">, title: string): Promise<string> => {
  const [inbox] = (await given(sheaf, "GET", "/notebooks")).data
  return (await given(sheaf, "POST", "/notes", { notebook_id: inbox.id, title })).id
}
