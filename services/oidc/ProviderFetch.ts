import { messageOf } from "../ErrorCause.ts"

/** A provider has not responded, or not as it must. */
export class ProviderAway extends Error {}

/** Maximum milliseconds of a request to a provider. */
const timeout = 10_000
/** Maximum bytes of a response: documents, keys and tokens have a few thousand. */
const maxBytes = 256 * 1024

const bodyOf = async ({ body }: Response): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  // Breaking off cancels the stream.
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/**
 * Sends a request to a provider, which the operator has chosen: it may be at a private address. Redirects are not followed.
 * The time and the size of the response are limited.
 */
export const providerFetch = async (url: string, options: object): Promise<Response> => {
  try {
    const response = await fetch(url, { ...options, redirect: "manual", signal: AbortSignal.timeout(timeout) })
    const bytes = await bodyOf(response)
    const { headers, status, statusText } = response
    return new Response(bytes.length === 0 ? null : bytes, { headers, status, statusText })
  } catch (error) {
    throw new ProviderAway(`no response of ${new URL(url).origin}: ${messageOf(error)}`)
  }
}
