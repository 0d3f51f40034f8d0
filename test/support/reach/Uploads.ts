import { Files, sha256Of } from "../Files.ts"
import type { TestApp } from "../TestApp.ts"

/** The contents of all files of a world: also those outside have the same bytes. */
const contents = ["one", "two more", "three and more"].map((text) => Buffer.from(text))
export const contentAt = (number: number): Buffer => contents[number % contents.length]!

export const hashAt = (number: number): string => sha256Of(contentAt(number))
export const sizeAt = (number: number): number => contentAt(number).length

/** Sends bytes to the address of an upload. Returns the response. */
export const put = async (
  app: TestApp,
  upload: { readonly upload_url: string },
  bytes: Uint8Array
): Promise<string> => {
  const { body, status } = await new Files(app).put(upload, bytes)
  return `${status} ${JSON.stringify(body)}`
}

/** The bytes at a signed address. */
export const got = async (app: TestApp, url: string): Promise<string> => {
  const { bytes, status } = await new Files(app).call("GET", url)
  return `${status} ${bytes}`
}

/** A form with the members of an attachment or an import, and its file. */
export const formOf = (members: object, bytes: Uint8Array): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(members)) form.set(name, String(value))
  form.set("file", new File([new Uint8Array(bytes)], "form.txt"))
  return form
}
