import type { Client } from "./Client.ts"
import type { Schemas } from "./Types.ts"

/** A file for a note. */
export interface NewFile {
  readonly note_id: string
  readonly filename: string
  /** The media type; by default derived from the name. */
  readonly content_type?: string
  readonly content: Blob | Uint8Array<ArrayBuffer>
}

/** Options of `upload` and `importFile`. */
export interface UploadOptions {
  readonly signal?: AbortSignal
  /** Called with the number of bytes that were handed to the network, and their total. */
  readonly onProgress?: (sent: number, total: number) => void
}

/** Larger files are sent without a hash, since a browser hashes only what it has in memory. */
const maxHashed = 256 * 1024 * 1024
/** Bytes of a chunk. */
const chunkSize = 64 * 1024

/** The SHA-256 of bytes in hexadecimal. */
export const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")

/** The content as a stream that reports what was read of it. */
const counted = (content: Blob, report: (sent: number) => void): ReadableStream<Uint8Array> => {
  let sent = 0
  return new ReadableStream({
    async pull(controller) {
      if (sent >= content.size) return controller.close()
      const chunk = await content.slice(sent, sent + chunkSize).arrayBuffer()
      sent += chunk.byteLength
      controller.enqueue(new Uint8Array(chunk))
      report(sent)
    }
  })
}

/** The members of XMLHttpRequest that are used, which only browsers have. */
declare const XMLHttpRequest:
  | undefined
  | (new () => {
      readonly status: number
      readonly responseText: string
      readonly upload: { onprogress: (event: { readonly loaded: number }) => void }
      onerror: () => void
      onload: () => void
      readonly open: (method: string, url: string) => void
      readonly setRequestHeader: (name: string, value: string) => void
      readonly getResponseHeader: (name: string) => string | null
      readonly send: (content: Blob) => void
      readonly abort: () => void
    })

/** A `fetch` that reports progress: browsers send a stream only by HTTP/2. */
const fetchByXhr =
  (Xhr: NonNullable<typeof XMLHttpRequest>, content: Blob, report: (sent: number) => void): typeof fetch =>
  (url, { headers, method = "GET", signal } = {}) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const request = new Xhr()
      request.open(method, String(url))
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
      request.upload.onprogress = ({ loaded }) => report(loaded)
      request.onerror = () => reject(new TypeError("The upload was interrupted"))
      request.onload = () => {
        const { responseText, status } = request
        const retryAfter = request.getResponseHeader("retry-after")
        resolve(
          new Response(status === 204 ? null : responseText, {
            status,
            headers: retryAfter === null ? {} : { "retry-after": retryAfter }
          })
        )
      }
      signal?.addEventListener("abort", () => (request.abort(), reject(signal.reason)), { once: true })
      request.send(content)
    })

/** The address of a file that the server expects. */
type Address = Pick<Schemas["Import"], "upload_headers" | "upload_method" | "upload_url">

/** Sends the bytes of a file to its address, unless the server has them already. Returns whether they were sent. */
export const putBytes = async (
  client: Client,
  { upload_headers = {}, upload_method = "PUT", upload_url }: Address,
  content: Blob,
  options: UploadOptions = {}
): Promise<boolean> => {
  const { onProgress, signal } = options
  if (upload_url === null || upload_url === undefined) {
    onProgress?.(content.size, content.size)
    return false
  }
  const report = onProgress === undefined ? undefined : (sent: number) => onProgress(sent, content.size)
  const isXhr = report !== undefined && typeof XMLHttpRequest === "function"
  await client.ask(
    {
      method: upload_method,
      path: upload_url,
      headers: upload_headers,
      ...(isXhr ? { fetch: fetchByXhr(XMLHttpRequest, content, report) } : {}),
      body: () => (report === undefined || isXhr ? content : counted(content, report)),
      signal,
      // The same bytes again are accepted.
      isRepeatable: true,
      isOpen: true
    },
    async (response) => void (await response.arrayBuffer())
  )
  return true
}

/** Sends the bytes of a pending attachment, unless the workspace has them already. */
export const sendBytes = async (
  client: Client,
  pending: Schemas["AttachmentUpload"],
  content: Blob,
  options: UploadOptions = {}
): Promise<void> => {
  if (await putBytes(client, pending, content, options)) {
    await client.call("completeAttachment", { id: pending.id }, { signal: options.signal })
  }
}

/**
 * Uploads a file to a note, and returns the attachment when it is ready. Bytes that the workspace has already are not
 * sent. The server refuses bytes that were damaged on the way (`checksum_mismatch`).
 */
export const upload = async (
  client: Client,
  { content, content_type, filename, note_id }: NewFile,
  options: UploadOptions = {}
): Promise<Schemas["Attachment"]> => {
  const blob = content instanceof Blob ? content : new Blob([content])
  const calling = { signal: options.signal }
  const pending = await client.call<Schemas["AttachmentUpload"]>(
    "createUpload",
    {
      note_id,
      filename,
      size: blob.size,
      content_type,
      // Pages that came by plain HTTP cannot compute it.
      ...(blob.size <= maxHashed && "subtle" in crypto
        ? { sha256: await sha256(new Uint8Array(await blob.arrayBuffer())) }
        : {})
    },
    calling
  )
  await sendBytes(client, pending, blob, options)
  return client.call("getAttachment", { id: pending.id }, calling)
}
