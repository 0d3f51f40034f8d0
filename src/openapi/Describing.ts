import { made } from "./MadeDocument.ts"

/** The OpenAPI description of a server at this address. */
export const describing = async (publicUrl: string): Promise<object> => {
  const document = await made()
  const { servers } = document as { readonly servers: ReadonlyArray<{ readonly url: string }> }
  return { ...document, servers: servers.map(({ url }) => ({ url: publicUrl + url })) }
}
