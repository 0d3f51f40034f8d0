import mime from "mime"

/** Of bytes that nothing is known of (RFC 2046, section 4.5.1). */
export const unknownType = "application/octet-stream"

/** The MIME type that the ending of a name stands for. */
export const typeOfName = (filename: string): string => mime.getType(filename) ?? unknownType
