import { expect } from "vitest"
import type { ApiResponse, TestApp } from "../TestApp.ts"

/** Text that no response may contain: places in the code, names of errors, and SQL. */
const leak = new RegExp(
  [
    "\\n\\s+at ",
    "node_modules|file:///|\\.ts:\\d",
    "\\b(SqlError|TypeError|RangeError|SchemaError)\\b",
    "\\bSELECT\\b.+\\bFROM\\b|\\bINSERT INTO\\b",
    "violates .* constraint|invalid input syntax|out of range for type"
  ].join("|"),
  "s"
)

/** Returns what is wrong with a response to any request; undefined if nothing is (contract 2). */
export const fault = ({ body, headers, status, text }: ApiResponse): string | undefined => {
  if (status >= 500) return `status ${status}`
  if (headers.get("request-id") === null) return "no Request-Id"
  if (status < 400) return undefined
  if (leak.test(text)) return "reveals internals"
  if (!headers.get("content-type")?.startsWith("application/problem+json")) return "no problem+json"
  if (body?.status !== status) return "status differs from the body"
  if (typeof body.code !== "string" || body.code === "") return "no code"
  if (typeof body.detail !== "string" || typeof body.title !== "string") return "no title or detail"
  if (!String(body.type).endsWith(`/errors/${body.code}`)) return "type does not match the code"
  if (body.request_id !== headers.get("request-id")) return "request_id differs from the header"
  return undefined
}

/** Fails the test when a response is wrong, and returns it. */
export const expectSound = (answer: ApiResponse, what: string): ApiResponse => {
  const found = fault(answer)
  if (found !== undefined) expect.fail(`${what}: ${found}: ${answer.status} ${answer.text.slice(0, 500)}`)
  return answer
}

/** Sends raw bytes and checks the response. */
export const send = async (
  app: TestApp,
  method: string,
  path: string,
  body: Uint8Array | string | undefined,
  headers: Record<string, string> = {}
): Promise<ApiResponse> => {
  const response = await fetch(app.url + path, {
    method,
    headers: { authorization: `Bearer ${app.key}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: body as NonNullable<RequestInit["body"]> })
  })
  const text = Buffer.from(await response.arrayBuffer()).toString()
  const isJson = /json/.test(response.headers.get("content-type") ?? "") && text !== ""
  const answer = {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined
  }
  return expectSound(answer, `${method} ${path.slice(0, 200)}`)
}

/** Runs `task` for all items, eight at a time. */
export const each = async <A>(
  items: ReadonlyArray<A>,
  task: (item: A, index: number) => Promise<void>
): Promise<void> => {
  const left = items.entries()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const [index, item] of left) await task(item, index)
    })
  )
}
