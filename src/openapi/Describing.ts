import { setImmediate } from "node:timers/promises"

/** Reading and parsing take a while each, and others need not wait for both. */
const read = async (publicUrl: string): Promise<object> => {
  const { made } = await import("./MadeDocument.ts")
  await setImmediate()
  const document = await made()
  await setImmediate()
  const { servers } = document as { readonly servers: ReadonlyArray<{ readonly url: string }> }
  return { ...document, servers: servers.map(({ url }) => ({ url: publicUrl + url })) }
}

/** The OpenAPI description of a server at this address, read when it is first asked for, in whatever form, and once. */
export const describing = (publicUrl: string): (() => Promise<object>) => {
  let document: Promise<object> | undefined
  return () => (document ??= read(publicUrl))
}
