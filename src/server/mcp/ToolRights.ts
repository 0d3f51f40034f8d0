import { Forbidden } from "../../../services/Errors.ts"
import { isAtLeast, type PrincipalShape } from "../../../services/Principal.ts"
import { mayWrite } from "../../../services/Reach.ts"
import { refusalOf } from "../http/pipeline/RequestCaller.ts"
import type { McpTool } from "./McpTool.ts"
import { maxResponse } from "./responses/ResponseSize.ts"

type Ruled = Pick<McpTool, "access" | "isForApps" | "maxContent" | "name">
type Caller = Pick<PrincipalShape, "app" | "reach" | "role" | "scopes">

const readsOnly = new Forbidden({ code: "forbidden", detail: "The credential may only read its notebooks" })
const onlyForApps = new Forbidden({ code: "forbidden", detail: "The tool is for connected apps only" })

/** The rights that each tool needs, and the size of its responses. */
export class ToolRights {
  readonly #rules: ReadonlyMap<string, Ruled>

  constructor(tools: ReadonlyArray<Ruled>) {
    this.#rules = new Map(tools.map((tool) => [tool.name, tool]))
  }

  /** Whether there is a tool of this name. */
  has(tool: string): boolean {
    return this.#rules.has(tool)
  }

  /** The refusal of a caller without the rights of a tool, if any. */
  refusal(tool: string, caller: Caller): Forbidden | undefined {
    const rule = this.#rules.get(tool)
    if (rule?.isForApps === true && caller.app === undefined) return onlyForApps
    if (rule?.access === undefined) return undefined
    return (
      refusalOf(caller, rule.access) ??
      (isAtLeast("viewer", rule.access.role) || mayWrite(caller.reach) ? undefined : readsOnly)
    )
  }

  /** Maximum bytes of a response to a call of a tool. */
  maxBytes(tool: string | undefined): number {
    return maxResponse + (tool === undefined ? 0 : (this.#rules.get(tool)?.maxContent ?? 0))
  }
}
