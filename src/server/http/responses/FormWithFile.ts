import { Effect } from "effect"
import { HttpServerRequest, MultipartParser } from "effect/http"
import { Readable } from "node:stream"
import { MIMEType } from "node:util"
import { BadRequest, Invalid, TooLarge } from "../../../../services/Errors.ts"
import { contentTypeOf } from "../../../../services/MediaTypes.ts"
import { issueAt } from "../../../../services/Text.ts"
import { isStrict } from "../pipeline/Prefer.ts"
import { uploadSource } from "../server/Uploads.ts"

/** The name of the part with the file. */
const fileField = "file"
const maxFields = 20
const maxFieldBytes = 4 * 1024
/** Maximum bytes of the header of a part, the limit of the parser. */
const maxHeaderBytes = 16 * 1024
/** Maximum bytes before the file, including the boundaries. */
const maxBefore = 512 * 1024
/** Maximum bytes after the end of the form. */
const maxAfter = 64 * 1024

export interface FormFile {
  readonly filename: string
  readonly content_type: string | undefined
  /** Fails if the form is truncated or has other parts after the file. */
  readonly bytes: Readable
}

type FormError = BadRequest | Invalid | TooLarge

const malformed = (detail: string) => new BadRequest({ code: "malformed_request", detail })

const tooLarge = (what: string, limit_bytes: number) =>
  new TooLarge({
    code: "payload_too_large",
    detail: `${what} is larger than ${limit_bytes} bytes`,
    extra: { limit_bytes }
  })

const unknownField = (name: string) =>
  new Invalid({
    code: "unknown_field",
    detail: `Unknown fields: ${name}`,
    errors: [issueAt([name], "unknown_field", "is not a known field")]
  })

const errorOf = (error: MultipartParser.MultipartError): FormError => {
  switch (error._tag) {
    case "BadHeaders":
      return error.error.reason === "HeaderTooLarge"
        ? tooLarge("The header of a part", maxHeaderBytes)
        : malformed("A part of the form has a header that cannot be read")
    case "InvalidDisposition":
      return malformed("A part of the form has no Content-Disposition with its name")
    case "InvalidBoundary":
      return malformed("The Content-Type has no boundary")
    case "ReachedLimit":
      return tooLarge("A field of the form", maxFieldBytes)
    case "EndNotReached":
      return malformed("The form ends before its last boundary")
  }
}

/** Browsers percent-encode quotation marks and line breaks, other clients escape quotation marks; some send a path. */
const filenameOf = (written: string): string =>
  written
    .replace(/\\"|%22/gi, '"')
    .replace(/%0d/gi, "\r")
    .replace(/%0a/gi, "\n")
    .replace(/^.*[/\\]/s, "")

const isOneForm = (contentType: string): boolean => {
  try {
    const { essence, params } = new MIMEType(contentType)
    return essence === "multipart/form-data" && /^[^\r\n]{1,70}$/.test(params.get("boundary") ?? "")
  } catch {
    return false
  }
}

/** Parses a form while it arrives: the fields before the file, then the file piece by piece. */
class FormReader {
  readonly fields = new Map<string, string>()
  failure: FormError | undefined
  readonly #known: ReadonlyArray<string>
  readonly #isStrict: boolean
  readonly #source: AsyncIterator<Uint8Array>
  readonly #parser: MultipartParser.Parser
  readonly #pieces: Array<Uint8Array> = []
  #part: MultipartParser.PartInfo | undefined
  #last: MultipartParser.PartInfo | undefined
  #isDone = false
  #isRead = false
  #count = 0
  #before = 0
  #after = 0

  constructor(known: ReadonlyArray<string>, isStrict: boolean, contentType: string, source: AsyncIterator<Uint8Array>) {
    this.#known = known
    this.#isStrict = isStrict
    this.#source = source
    if (!isOneForm(contentType)) this.#fail(malformed("The Content-Type is not multipart/form-data with a boundary"))
    this.#parser = MultipartParser.make({
      headers: { "content-type": contentType },
      maxFieldSize: maxFieldBytes,
      isFile: (info) => info.name === fileField || MultipartParser.defaultIsFile(info),
      onField: (info, value) => this.#onField(info, value),
      onFile: (info) => this.#onFile(info),
      onError: (error) => this.#fail(errorOf(error)),
      onDone: () => (this.#isDone = true)
    })
  }

  #fail(error: FormError): void {
    // The first error is reported.
    this.failure ??= error
  }

  /** For a part whose header has no end, `info` is undefined or that of the previous part. */
  #onField(info: MultipartParser.PartInfo | undefined, value: Uint8Array): void {
    if (info === undefined || info === this.#last)
      return this.#fail(malformed("The header of a part of the form has no end"))
    this.#last = info
    const { name } = info
    if (name === "") return this.#fail(errorOf({ _tag: "InvalidDisposition" }))
    if (this.#part !== undefined) {
      return this.#fail(Invalid.field(fileField, "invalid", "must be the last part of the form"))
    }
    if (++this.#count > maxFields) return this.#fail(malformed(`The form has more than ${maxFields} fields`))
    if (!this.#known.includes(name)) return this.#isStrict ? this.#fail(unknownField(name)) : undefined
    if (this.fields.has(name)) return this.#fail(Invalid.field(name, "too_many", "must be sent once"))
    try {
      this.fields.set(name, new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value))
    } catch {
      this.#fail(Invalid.field(name, "invalid_characters", "must be UTF-8"))
    }
  }

  #onFile(info: MultipartParser.PartInfo): (chunk: Uint8Array | null) => void {
    if (this.#part !== undefined || info.name !== fileField) {
      this.#fail(Invalid.field(fileField, "too_many", "must be the only file, with this name"))
    } else if (info.filename === undefined || info.filename === "") {
      this.#fail(Invalid.field(fileField, "required", "must be a file with a filename"))
    }
    this.#part ??= info
    return (chunk) => {
      if (chunk !== null) this.#pieces.push(chunk)
    }
  }

  /** Reads the next chunk of the body. */
  async #step(): Promise<void> {
    const { done, value } = this.failure === undefined ? await this.#source.next() : { done: false, value: undefined }
    if (done === true) {
      this.#isRead = true
      if (!this.#isDone) this.#parser.end()
      else if (this.#part === undefined) this.#fail(Invalid.field(fileField, "required", "must be sent"))
    } else if (value !== undefined) {
      if (this.#part === undefined && (this.#before += value.length) > maxBefore) {
        // The data before the file may arrive in one chunk with the beginning of the file.
        this.#fail(tooLarge("The data before the file", maxBefore))
      } else if (!this.#isDone) this.#parser.write(value)
      else if ((this.#after += value.length) > maxAfter) this.#fail(malformed("The form has data after its end"))
    }
    if (this.failure !== undefined) throw this.failure
  }

  async *#bytes() {
    for (;;) {
      yield* this.#pieces.splice(0)
      if (this.#isRead) return
      await this.#step()
    }
  }

  /** Reads up to the beginning of the file. */
  async file(): Promise<FormFile> {
    while (this.#part === undefined) await this.#step()
    const { filename = "", headers } = this.#part
    const type = headers["content-type"]
    return {
      filename: filenameOf(filename),
      content_type: typeof type === "string" ? contentTypeOf(type) : undefined,
      // The reader receives the error.
      bytes: Readable.from(this.#bytes(), { objectMode: false }).on("error", () => {})
    }
  }
}

const isFormError = (error: unknown): error is FormError =>
  error instanceof BadRequest || error instanceof Invalid || error instanceof TooLarge

/**
 * Reads a form (RFC 7578) of text fields, of which `take` receives those in `fields`, followed by one file, which is
 * streamed. Accepts the upload (`continueUpload`). An error in the form after the beginning of the file replaces the error
 * that `take` fails with.
 */
export const formWithFile = <A, E, R>(
  fields: ReadonlyArray<string>,
  take: (fields: Readonly<Record<string, string>>, file: FormFile) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | BadRequest | Invalid | TooLarge, R | HttpServerRequest.HttpServerRequest> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const source = (yield* uploadSource)[Symbol.asyncIterator]()
    const form = new FormReader(fields, isStrict(request), request.headers["content-type"] ?? "", source)
    const file = yield* Effect.tryPromise({
      try: () => form.file(),
      // A client that has disconnected gets no response.
      catch: (error): FormError => (isFormError(error) ? error : malformed("The body is truncated"))
    })
    return yield* take(Object.fromEntries(form.fields), file).pipe(
      Effect.mapError((error) => form.failure ?? error),
      Effect.ensuring(Effect.sync(() => file.bytes.destroy()))
    )
  })
