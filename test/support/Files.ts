import { createHash, randomBytes } from "node:crypto"
import type { TestApp } from "./TestApp.ts"

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Random bytes, which no other test has. */
export const someBytes = (length = 64): Buffer => randomBytes(length)

export interface FileResponse {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** The parsed body of a problem or a resource. */
  readonly body: any
}

/** Uploads to and downloads from signed URLs of an App whose PUBLIC_URL is not reachable. */
export class Files {
  private readonly app: TestApp
  constructor(app: TestApp) {
    this.app = app
  }

  /** Translates a signed URL of the App to its real address. A URL of a bucket stays as it is. */
  at(url: string): string {
    const { hostname, pathname, search } = new URL(url)
    return hostname === "sheaf.test" ? new URL(pathname + search, this.app.url).href : url
  }

  async call(
    method: string,
    url: string,
    body?: Uint8Array,
    headers: Record<string, string> = {}
  ): Promise<FileResponse> {
    const response = await fetch(this.at(url), {
      method,
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body: new Uint8Array(body) })
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isJson = /json/.test(response.headers.get("content-type") ?? "") && bytes.length > 0
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      body: isJson ? JSON.parse(bytes.toString()) : undefined
    }
  }

  /** Sends the bytes of an upload that was started. */
  put(upload: { readonly upload_url: string; readonly upload_headers?: Record<string, string> }, bytes: Uint8Array) {
    return this.call("PUT", upload.upload_url, bytes, upload.upload_headers)
  }

  /** Creates an attachment that is ready. */
  async make(note_id: string, bytes: Uint8Array, more: object = {}): Promise<any> {
    const begun = await this.app.call("POST", "/attachments/uploads", { note_id, filename: "file.bin", ...more })
    if (begun.status !== 201) throw new Error(begun.text)
    const { body, status } = await this.put(begun.body, bytes)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body
  }
}
