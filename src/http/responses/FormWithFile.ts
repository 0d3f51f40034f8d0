import { Effect } from "effect"
import { HttpServerRequest, MultipartParser } from "effect/http"
import { Readable } from "node:stream"
import { MIMEType } from "node:util"
import { BadRequest, Invalid, TooLarge } from "../../../services/Errors.ts"
import { contentTypeOf } from "../../../services/MediaTypes.ts"
import { issueAt } from "../../../services/Text.ts"
import { isStrict } from "../pipeline/Prefer.ts"
import { uploadSource } from "../server/Uploads.ts"

/** The name of the part that is the file. */
const fileField = "file"
const maxFields = 20
const maxFieldBytes = 4 * 1024
/** As the parser has it. */
const maxHeaderBytes = 16 * 1024
/** All that may stand before the file, what is between its parts included. */
const maxBefore = 512 * 1024
/** And behind the end of the form. */
const maxAfter = 64 * 1024

export interface FormFile {
  readonly filename: string
  readonly content_type: string | undefined
  /** It ends only where the form does: one that breaks off or goes on with other parts fails before its end. */
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
      return malformed("A part of the form has no Content-Disposition that names it")
    case "InvalidBoundary":
      return malformed("The Content-Type names no boundary")
    case "ReachedLimit":
      return tooLarge("A field of the form", maxFieldBytes)
    case "EndNotReached":
      return malformed("The form ends before its last boundary")
  }
}

/** Browsers write quotation marks and line breaks in percent, others a backslash before the first; some send a path. */
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

/** Takes a form apart as it comes: what stands before the file, then the file piece by piece. */
class FormReader {
  readonly fields = new Map<string, string>()
  failure: FormError | undefined
  private readonly known: ReadonlyArray<string>
  private readonly isStrict: boolean
  private readonly source: AsyncIterator<Uint8Array>
  private readonly parser: MultipartParser.Parser
  private readonly pieces: Array<Uint8Array> = []
  private part: MultipartParser.PartInfo | undefined
  private last: MultipartParser.PartInfo | undefined
  private isDone = false
  private isRead = false
  private count = 0
  private before = 0
  private after = 0

  constructor(known: ReadonlyArray<string>, isStrict: boolean, contentType: string, source: AsyncIterator<Uint8Array>) {
    this.known = known
    this.isStrict = isStrict
    this.source = source
    if (!isOneForm(contentType)) this.fail(malformed("The Content-Type is no multipart/form-data with its boundary"))
    this.parser = MultipartParser.make({
      headers: { "content-type": contentType },
      maxFieldSize: maxFieldBytes,
      isFile: (info) => info.name === fileField || MultipartParser.defaultIsFile(info),
      onField: (info, value) => this.onField(info, value),
      onFile: (info) => this.onFile(info),
      onError: (error) => this.fail(errorOf(error)),
      onDone: () => (this.isDone = true)
    })
  }

  private fail(error: FormError): void {
    // What is wrong first is told.
    this.failure ??= error
  }

  /** A part without an end to its header has no description, or that of the part before. */
  private onField(info: MultipartParser.PartInfo | undefined, value: Uint8Array): void {
    if (info === undefined || info === this.last) return this.fail(malformed("A part of the form is all header"))
    this.last = info
    const { name } = info
    if (name === "") return this.fail(errorOf({ _tag: "InvalidDisposition" }))
    if (this.part !== undefined) {
      return this.fail(Invalid.field(fileField, "invalid", "must be the last part of the form"))
    }
    if (++this.count > maxFields) return this.fail(malformed(`The form has more than ${maxFields} fields`))
    if (!this.known.includes(name)) return this.isStrict ? this.fail(unknownField(name)) : undefined
    if (this.fields.has(name)) return this.fail(Invalid.field(name, "too_many", "must be sent once"))
    try {
      this.fields.set(name, new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value))
    } catch {
      this.fail(Invalid.field(name, "invalid_characters", "must be UTF-8"))
    }
  }

  private onFile(info: MultipartParser.PartInfo): (chunk: Uint8Array | null) => void {
    if (this.part !== undefined || info.name !== fileField) {
      this.fail(Invalid.field(fileField, "too_many", "must be the only file, under this name"))
    } else if (info.filename === undefined || info.filename === "") {
      this.fail(Invalid.field(fileField, "required", "must be a file with its name"))
    }
    this.part ??= info
    return (chunk) => {
      if (chunk !== null) this.pieces.push(chunk)
    }
  }

  /** Reads on a little. */
  private async step(): Promise<void> {
    const { done, value } = this.failure === undefined ? await this.source.next() : { done: false, value: undefined }
    if (done === true) {
      this.isRead = true
      if (!this.isDone) this.parser.end()
      else if (this.part === undefined) this.fail(Invalid.field(fileField, "required", "must be sent"))
    } else if (value !== undefined) {
      if (this.part === undefined && (this.before += value.length) > maxBefore) {
        // What is before the file may come with a piece of it.
        this.fail(tooLarge("What stands before the file", maxBefore))
      } else if (!this.isDone) this.parser.write(value)
      else if ((this.after += value.length) > maxAfter) this.fail(malformed("The form goes on after its end"))
    }
    if (this.failure !== undefined) throw this.failure
  }

  private async *bytes() {
    for (;;) {
      yield* this.pieces.splice(0)
      if (this.isRead) return
      await this.step()
    }
  }

  /** Reads up to the file. */
  async file(): Promise<FormFile> {
    while (this.part === undefined) await this.step()
    const { filename = "", headers } = this.part
    const type = headers["content-type"]
    return {
      filename: filenameOf(filename),
      content_type: typeof type === "string" ? contentTypeOf(type) : undefined,
      // Whoever reads it hears of what it fails with.
      bytes: Readable.from(this.bytes(), { objectMode: false }).on("error", () => {})
    }
  }
}

const isFormError = (error: unknown): error is FormError =>
  error instanceof BadRequest || error instanceof Invalid || error instanceof TooLarge

/**
 * Reads a form (RFC 7578) of text fields, of which those that are named are handed on, and then one file, which is taken
 * as it comes, and never held. By this the upload is let in (`continueUpload`). What is wrong with the form behind the
 * beginning of its file is told instead of what `take` fails with for it.
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
      // Who hung up gets no answer.
      catch: (error): FormError => (isFormError(error) ? error : malformed("The body broke off"))
    })
    return yield* take(Object.fromEntries(form.fields), file).pipe(
      Effect.mapError((error) => form.failure ?? error),
      Effect.ensuring(Effect.sync(() => file.bytes.destroy()))
    )
  })
