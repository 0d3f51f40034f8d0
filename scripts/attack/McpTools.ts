import { attack, report } from "./Attack.ts"
import { flood, times } from "./Client.ts"
import { LARGE, store } from "./Content.ts"

/** Calls of MCP tools that cost the most: long notes without line breaks, many equal characters, large differences. */
export const mcpTools = attack({
  name: "mcp-tools",
  finding: "none: a search for a repeated text in a note of 1 MB would take 10^10 steps with indexOf",
  seconds: 5,
  together: true,
  prepare: async (lab) => {
    const workspace = lab.server.takeAttacker()
    const client = lab.client(workspace.key)
    const [equal, lines] = await store(client, workspace, [
      { title: "equal", body: "a".repeat(LARGE) },
      { title: "lines", body: times(LARGE / 20, (index) => `# ${index % 7} ${"x".repeat(9)}`).join("\n") }
    ])
    await client.need(200, "PATCH", `/v2/notes/${lines}`, {
      body: { body: times(LARGE / 20, (index) => `# ${index % 5} ${"y".repeat(9)}`).join("\n") }
    })
    return { key: workspace.key, equal, lines }
  },
  run: (lab, { equal, key, lines }) => {
    const client = lab.client(key)
    const call = (name: string, args: object) =>
      client.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })
    const old_text = `${"a".repeat(9_999)}b`
    const replacements = times(20, () => ({ old_text, new_text: "" }))
    const asks = [
      () => call("edit_note", { note_id: equal, version: 1, replacements }),
      () => call("edit_note", { note_id: equal, version: 9, replacements }),
      () => call("read_note", { note_id: equal, from_line: 1, from_character: LARGE / 2 }),
      () => call("read_note", { note_id: lines }),
      () => call("note_history", { note_id: lines, version: 2 }),
      () => call("note_history", { note_id: lines, limit: 50 })
    ]
    return flood(lab.signal, { atOnce: 6, most: 120 }, (index) => asks[index % asks.length]!())
  },
  judge: report
})
