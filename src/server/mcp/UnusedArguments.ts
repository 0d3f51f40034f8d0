import { Invalid } from "../../../services/Errors.ts"

/** The problem for the first argument of `names` that a call has; undefined if it has none of them. */
export const unused = <Args extends object>(
  args: Args,
  names: ReadonlyArray<keyof Args & string>,
  reason: string
): Invalid | undefined => {
  const name = names.find((each) => args[each] !== undefined)
  return name === undefined ? undefined : Invalid.field(name, "invalid", reason)
}
