import mime from "mime"
import { MIMEType } from "node:util"

/** Maximum number of characters of a media type, parameters included. */
const maxLength = 255

/** Returns a media type in its normal form (WHATWG MIME Sniffing), or undefined if the text is not a media type. */
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

/** The type of bytes of an unknown kind (RFC 2046, section 4.5.1). */
export const binary = "application/octet-stream"

/** Returns the media type of the extension of a file name. */
export const typeOfName = (filename: string): string => mime.getType(filename) ?? binary

/**
 * Types of files that a browser shows without running any code in them. PDF is not among them: browsers do not show a PDF
 * in a sandbox, and every file is served in a sandbox.
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

/** Types that a browser runs, uses as a style sheet, or splits into documents. Matches a whole word of the subtype. */
const executed =
  /^(?:multipart|message)\/|[/+.-](?:x?html?|xml|svg|xslt?|mathml|rdf|rss|atom|(?:java|ecma|j|live|vb|type)script[\d.]*|css|wasm|mhtml|mimearchive|shockwave|flash|futuresplash|(?:web)?manifest|appcache|(?:web)?bundle|java|applet)(?:$|[+.-])/

/** Whether a browser, or a program that opens the stored file, might take the bytes for HTML, SVG or XML. */
const isMarkup = (head: Uint8Array): boolean =>
  // In UTF-16 every other byte is zero. A byte order mark is not part of the text.
  /^(?:[\s\0]|\xef\xbb\xbf|\xff\xfe|\xfe\xff)*<\0?[a-z!?/%]/i.test(Buffer.from(head).toString("latin1"))

interface ServedType {
  readonly content_type: string
  /** Whether a browser may show the file instead of storing it. */
  readonly isInline: boolean
}

/**
 * Returns the type that a file is served with, given its claimed type (contract 7). A type that a browser would execute
 * is served as bytes to be stored. So is a harmless type whose bytes begin like markup: only the bytes show a page.
 */
export const servedType = (claimed: string, head?: Uint8Array): ServedType => {
  const normal = contentTypeOf(claimed)
  if (normal === undefined) return { content_type: binary, isInline: false }
  const [essence] = normal.split(";", 1) as [string]
  if (executed.test(essence)) return { content_type: binary, isInline: false }
  // Without a charset each browser guesses differently.
  const content_type = essence.startsWith("text/") && !/;charset=/.test(normal) ? `${normal};charset=utf-8` : normal
  if (!shown.has(essence)) return { content_type, isInline: false }
  return head !== undefined && isMarkup(head)
    ? { content_type: binary, isInline: false }
    : { content_type, isInline: true }
}

/**
 * The same for files that a bucket serves, without `nosniff` and without a look at the first bytes. A browser that
 * guesses types could take text for a page of the bucket's origin, so text is stored as well.
 */
export const servedTypeFromBucket = (claimed: string): ServedType => {
  const { content_type, isInline } = servedType(claimed)
  return { content_type, isInline: isInline && !content_type.startsWith("text/") }
}

/** Whether the served type depends on the first bytes of the file. */
export const isSniffed = (claimed: string): boolean => servedType(claimed).isInline
