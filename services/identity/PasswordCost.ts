import { Context } from "effect"

/** log2 of scrypt's N. Tests of operators' commands use a lower one. */
export const PasswordCost = Context.Reference<number>("sheaf/identity/PasswordCost", { defaultValue: () => 15 })
