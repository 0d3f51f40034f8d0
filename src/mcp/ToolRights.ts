import type { Forbidden } from "../../services/Errors.ts"
import type { PrincipalShape } from "../../services/Principal.ts"
import type { AccessRule } from "../api/Authorization.ts"
import { refusalOf } from "../http/pipeline/RequestCaller.ts"

/** The rights that each tool needs. */
export class ToolRights {
  private readonly rules = new Map<string, AccessRule | undefined>()

  constructor(tools: ReadonlyArray<{ readonly name: string; readonly access: AccessRule | undefined }>) {
    for (const { access, name } of tools) this.rules.set(name, access)
  }

  /** Whether there is a tool of this name. */
  has(tool: string): boolean {
    return this.rules.has(tool)
  }

  /** The refusal of a caller without the rights of a tool, if any. */
  refusal(tool: string, caller: Pick<PrincipalShape, "role" | "scopes">): Forbidden | undefined {
    const rule = this.rules.get(tool)
    return rule === undefined ? undefined : refusalOf(caller, rule)
  }
}
