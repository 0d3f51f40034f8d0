import mime from "mime"
import { MIMEType } from "node:util"

/** As long as a type may be, parameters included. */
const maxLength = 255

/** A media type in its normal form (WHATWG MIME Sniffing), or none when the text is no media type. */
export const contentTypeOf = (text: string): string | undefined => {
  if (text.length > maxLength || !/^[\t\x20-\x7e]*$/.test(text)) return undefined
  try {
    const { essence, params, subtype, type } = new MIMEType(text)
    if (subtype.includes("*") || type.includes("*")) return undefined
    const written = params.toString()
    const normal = written === "" ? essence : `${essence};${written}`
    return normal.length <= maxLength ? normal : undefined
  } catch {
    return undefined
  }
}

/** Of bytes that nothing is known of (RFC 2046, section 4.5.1). */
export const binary = "application/octet-stream"

/** The media type that the ending of a name stands for. */
export const typeOfName = (filename: string): string => mime.getType(filename) ?? binary

/**
 * Types whose files a browser shows without running anything of theirs. PDF is not among them: browsers do not show one
 * in a sandbox, and every file is served in one.
 */
const shown = new Set([
  "text/plain",
  "image/apng",
  "image/avif",
  "image/bmp",
  "image/gif",
  "image/heic",
  "image/heif",
  "image/jpeg",
  "image/jxl",
  "image/png",
  "image/tiff",
  "image/vnd.microsoft.icon",
  "image/webp",
  "image/x-icon",
  "audio/aac",
  "audio/flac",
  "audio/mp4",
  "audio/mpeg",
  "audio/ogg",
  "audio/wav",
  "audio/webm",
  "audio/x-flac",
  "audio/x-m4a",
  "audio/x-wav",
  "video/mp4",
  "video/ogg",
  "video/quicktime",
  "video/webm"
])

/** Types that a browser runs, styles a page with, or takes apart into documents: by a whole word of the subtype. */
const executed =
  /^(?:multipart|message)\/|[/+.-](?:x?html?|xml|svg|xslt?|mathml|rdf|rss|atom|(?:java|ecma|j|live|vb|type)script[\d.]*|css|wasm|mhtml|mimearchive|shockwave|flash|futuresplash|(?:web)?manifest|appcache|(?:web)?bundle|java|applet)(?:$|[+.-])/

/** What a browser, or a program that opens what it has stored, might take for HTML, SVG or XML. */
const isMarkup = (head: Uint8Array): boolean =>
  // In UTF-16 every other byte is a zero; a byte order mark is no part of the text.
  /^(?:[\s\0]|\xef\xbb\xbf|\xff\xfe|\xfe\xff)*<\0?[a-z!?/%]/i.test(Buffer.from(head).toString("latin1"))

export interface ServedType {
  readonly content_type: string
  /** Whether a browser may show it, instead of storing it. */
  readonly isInline: boolean
}

/**
 * The type that a file is served with, whatever was claimed of it (contract 7). What a browser would execute is served as
 * bytes to be stored. So is what is claimed to be harmless and begins like markup: nothing else tells text from a page.
 */
export const servedType = (claimed: string, head?: Uint8Array): ServedType => {
  const normal = contentTypeOf(claimed)
  if (normal === undefined) return { content_type: binary, isInline: false }
  const [essence] = normal.split(";", 1) as [string]
  if (executed.test(essence)) return { content_type: binary, isInline: false }
  // Without a charset each browser has a guess of its own.
  const content_type = essence.startsWith("text/") && !/;charset=/.test(normal) ? `${normal};charset=utf-8` : normal
  if (!shown.has(essence)) return { content_type, isInline: false }
  return head !== undefined && isMarkup(head)
    ? { content_type: binary, isInline: false }
    : { content_type, isInline: true }
}

/**
 * The same where a bucket serves the file, without `nosniff` and without a look at its first bytes: a browser that guesses
 * types could take text for a page of the bucket's origin, so that text is stored as well.
 */
export const servedTypeFromBucket = (claimed: string): ServedType => {
  const { content_type, isInline } = servedType(claimed)
  return { content_type, isInline: isInline && !content_type.startsWith("text/") }
}

/** Whether what such a file begins with makes a difference. */
export const isSniffed = (claimed: string): boolean => servedType(claimed).isInline
