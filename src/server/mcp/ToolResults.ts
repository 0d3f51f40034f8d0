import type { SheafError } from "../../../services/Errors.ts"
import type { ProblemCode } from "../../../services/ProblemCodes.ts"
import { explanation, fenced } from "./responses/Fence.ts"
import { costOf, room } from "./responses/ResponseSize.ts"

/** Content of a result next to its JSON. */
export type Block =
  | { readonly type: "image"; readonly data: Uint8Array; readonly mimeType: string }
  | { readonly type: "resource_link"; readonly uri: string; readonly name: string }

/** The member of a result that has its blocks. JSON does not have it. */
export const blocks = Symbol("sheaf/mcp/blocks")

/** The value that a tool returns: facts and texts, whose form is made here, and blocks. */
export type ResultValue = object & { readonly [blocks]?: ReadonlyArray<Block> }

/** The result of a call: one JSON value, sent as text and, unless it is a problem, as structured content; then blocks. */
export interface ToolResult {
  readonly blocks: ReadonlyArray<Block>
  readonly isError: boolean
  readonly text: string
  readonly structured: object | undefined
}

/** The only form of results and problems: the texts of users are in fences, everything else outside of them. */
const inForm = (code: string, value: object): object => fenced(`${code}: ${explanation}`, code, value)

export const resultOf = (code: string, value: ResultValue): ToolResult => {
  const structured = inForm(code, value)
  return { isError: false, text: JSON.stringify(structured), structured, blocks: value[blocks] ?? [] }
}

/** A problem as the caller sees it: what is wrong, and what helps to correct the call. */
const membersOf = (error: SheafError): object => ({
  code: error.code,
  detail: error.detail,
  ...error.extra,
  ...("errors" in error && error.errors !== undefined ? { errors: error.errors } : {}),
  ...("retry_after" in error && error.retry_after !== undefined ? { retry_after: error.retry_after } : {})
})

/** Extra members that are too large are left out. */
const fitting = (error: SheafError): object => {
  const members = membersOf(error)
  return costOf(members) <= room ? members : { code: error.code, detail: error.detail }
}

export const problemResult = (code: string, error: SheafError): ToolResult => ({
  isError: true,
  blocks: [],
  text: JSON.stringify(inForm(code, fitting(error))),
  structured: undefined
})

/** The result of a call that failed because of an error of the server. */
export const internalError: ToolResult = {
  isError: true,
  blocks: [],
  text: JSON.stringify({
    code: "internal_error" satisfies ProblemCode,
    detail: "The server has an error. Its log has the reason"
  }),
  structured: undefined
}
