import { parse, TomlDate } from "smol-toml"
import { stringify } from "yaml"

/** A value of TOML as YAML represents it. */
const yamlValue = (value: unknown): unknown => {
  if (value instanceof TomlDate) return value.toISOString()
  if (Array.isArray(value)) return value.map(yamlValue)
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, yamlValue(each)]))
    : value
}

/** TOML as the equivalent YAML, without its comments. Throws if it is not valid TOML. */
export const yamlOfToml = (toml: string): string => {
  const table = parse(toml, { integersAsBigInt: "asNeeded" })
  return Object.keys(table).length === 0 ? "" : stringify(yamlValue(table), { lineWidth: 0 })
}
