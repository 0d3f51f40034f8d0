import { execFile, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { conform, scenes } from "../../src/program/testing/conformance/Conformance.ts"
import { openApiDocument } from "../../src/server/openapi/OpenApiDocument.ts"
import { pythonTypes } from "../clients/pythonTypes.ts"
import { sampled } from "../support/Slow.ts"

const python = "python3"
const isThere = spawnSync(python, ["-c", "import sys; assert sys.version_info >= (3, 11)"]).status === 0
const folder = mkdtempSync(join(tmpdir(), "sheaf-python-"))
beforeAll(() => {
  cpSync(join(import.meta.dirname, "../clients/python"), folder, { recursive: true })
  const description = JSON.parse(JSON.stringify(openApiDocument("https://notes.example.org")))
  writeFileSync(join(folder, "sheaf_types.py"), pythonTypes(description))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!isThere)(`the client in Python${isThere ? "" : " (skipped: there is no Python 3.11)"}`, () => {
  it("has types, generated from the description of the API", async () => {
    const program = `
import ast, sheaf_types, typing
for each in vars(sheaf_types).values():
    if typing.is_typeddict(each):
        typing.get_type_hints(each, vars(sheaf_types))
print(sorted(typing.get_type_hints(sheaf_types.SyncObject, vars(sheaf_types))))
used = [each for each in ast.walk(ast.parse(open("sheaf_client.py").read())) if isinstance(each, ast.ImportFrom)]
print([hasattr(sheaf_types, name.name) for each in used if each.module == "sheaf_types" for name in each.names])`
    const { stderr, stdout } = await promisify(execFile)(python, ["-c", program], { cwd: folder })
    expect([stderr, stdout]).toEqual([
      "",
      "['changes', 'conflicts', 'cursor', 'cursor_expires_at', 'device_id', 'has_more']\n[True, True]\n"
    ])
  })

  it("passes the scenes", { timeout: 240_000 }, async () => {
    const results = await conform({
      command: [python, join(folder, "sheaf_client.py")],
      // All of them take longer than 30 s on two busy cores.
      names: sampled(scenes, 12).map(({ name }) => name),
      postgres: inject("postgres")
    })
    expect(results.filter(({ reason }) => reason !== undefined)).toEqual([])
  })
})
