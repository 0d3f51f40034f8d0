import type { Embedded } from "./Converted.ts"

const endings: Readonly<Record<string, string>> = { jpeg: "jpg", plain: "txt", "svg+xml": "svg" }

/** The file in a `data:` address (RFC 2397), named by its number; undefined for other addresses. */
export const embeddedIn = (url: string, count: number): (Embedded & { readonly isDamaged: boolean }) | undefined => {
  const match = /^\s*data:([\w.+-]+\/[\w.+-]+)?([^,]{0,200}),([\s\S]*)$/i.exec(url)
  if (match === null) return undefined
  const [, type = "text/plain", parameters = "", data = ""] = match
  const kind = type.slice(type.indexOf("/") + 1).toLowerCase()
  const file = { filename: `embedded ${count}.${endings[kind] ?? kind}`, content_type: type }
  const bytes = percentDecoded(data)
  if (!/;\s*base64\s*$/i.test(parameters)) return { ...file, base64: bytes.toString("base64"), isDamaged: false }
  const base64 = bytes.toString("latin1").replaceAll(/\s+/g, "")
  return {
    ...file,
    base64,
    isDamaged: !/^[A-Za-z0-9+/]*=*$/.test(base64) || base64.replace(/=+$/, "").length % 4 === 1
  }
}

const percentDecoded = (data: string): Buffer => {
  try {
    return Buffer.from(decodeURIComponent(data))
  } catch {
    // A percent sign that begins no byte is literal.
    return Buffer.from(data)
  }
}
