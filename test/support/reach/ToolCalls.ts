import { request, type McpWire } from "../mcp/McpWire.ts"

/** Calls of MCP tools with random arguments, which follow from the schema that the server lists. */

export interface ListedTool {
  readonly name: string
  readonly inputSchema: { readonly properties: Readonly<Record<string, unknown>>; readonly required?: Array<string> }
}

/** The tools that exist for a caller. */
export const listedTools = async (wire: McpWire): Promise<ReadonlyArray<ListedTool>> =>
  (await request(wire, "tools/list")).body.result.tools

/** The arguments of a call: all that the tool requires, and some others. `values` has one for each name. */
export const argumentsOf = (
  { inputSchema, name }: ListedTool,
  numbers: ReadonlyArray<number>,
  values: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => {
  const required = inputSchema.required ?? []
  const args: Record<string, unknown> = {}
  for (const [index, member] of Object.keys(inputSchema.properties).entries()) {
    const isChosen = required.includes(member) || numbers[index % numbers.length]! % 3 === 0
    if (isChosen && values[member] !== undefined) args[member] = values[member]
    else if (required.includes(member)) throw new Error(`no value for ${member} of ${name}`)
  }
  return args
}

/** The result of a call. */
export const resultOf = async (wire: McpWire, name: string, args: object): Promise<any> => {
  const { body } = await request(wire, "tools/call", { name, arguments: args })
  return body.error ?? body.result.structuredContent ?? JSON.parse(body.result.content[0].text)
}

/** A value as JSON, without the marks around texts, which are random. */
export const withoutMarks = (value: object): string =>
  JSON.stringify(value).replaceAll(/"data_(begins|ends)":"[^"]*"/g, '"data_$1":"…"')
