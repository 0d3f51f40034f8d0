import type { Description, Json, Operation } from "./Description.ts"

/** Quotes a text for a shell. Only the quote itself has to be escaped in single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Maximum number of characters of a line of a sample, which is shown next to the text. */
const longest = 48

const chosen = ({ example, schema }: Json): unknown => example ?? schema?.examples?.[0]

const exampleOf = (parameter: Json): string =>
  String(chosen(parameter) ?? parameter["schema"].default ?? parameter["name"])

const form = "application/x-www-form-urlencoded"

const fieldsOf = (example: Json): ReadonlyArray<string> =>
  Object.entries(example).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)

const jsonOf = (type: string, example: unknown): ReadonlyArray<string> => [
  `-H "Content-Type: ${type}"`,
  ...(example === undefined ? [] : [`-d ${quoted(JSON.stringify(example, null, 2))}`])
]

/** Returns a call of the operation for a shell, made of the examples. `$KEY` is the key of the caller. */
export const curlSample = (description: Description, { method, path, spec }: Operation): string => {
  const parameters = description.parametersOf(spec)
  const of = (place: string) => parameters.filter((each) => each["in"] === place)
  const filled = of("path").reduce(
    (text, each) => text.replace(`{${each["name"]}}`, encodeURIComponent(exampleOf(each))),
    path
  )
  // Optional parameters are included if they have an example.
  const query = of("query")
    .filter((each) => each["required"] === true || (chosen(each) !== undefined && each["deprecated"] !== true))
    .map((each) => `${each["name"]}=${encodeURIComponent(exampleOf(each))}`)
    .join("&")
  const url = (spec["servers"]?.[0].url ?? description.baseUrl) + filled + (query === "" ? "" : `?${query}`)
  const responses = Object.values<Json>(spec["responses"])
  const isStream = responses.some((response) => response["content"]?.["text/event-stream"] !== undefined)
  const [[type, media] = [undefined, undefined]] = Object.entries<Json>(spec["requestBody"]?.content ?? {})
  const address = query === "" ? url : quoted(url)
  const command = `curl${isStream ? " -N" : ""}${method === "get" ? "" : ` -X ${method.toUpperCase()}`}`
  return [
    ...(command.length + address.length < longest ? [`${command} ${address}`] : [command, address]),
    ...(spec["security"]?.length === 0 ? [] : [`-H "Authorization: Bearer $KEY"`]),
    ...of("header")
      .filter((each) => each["required"] === true)
      .map((each) => `-H ${quoted(`${each["name"]}: ${exampleOf(each)}`)}`),
    ...(type === undefined ? [] : type === form ? fieldsOf(media?.["example"]) : jsonOf(type, media?.["example"]))
  ].join(" \\\n  ")
}
