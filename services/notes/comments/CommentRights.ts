import { Forbidden } from "../../Errors.ts"
import { isAtLeast, type PrincipalShape, type Role } from "../../Principal.ts"
import type { Comment } from "./Comment.ts"

/** Who may do what with a comment (contract 5): why the caller may not, if so. */

type Caller = Pick<PrincipalShape, "user_id" | "role">
type Authored = Pick<Comment, "author_id">

const refused = (detail: string, required_role?: Role) =>
  new Forbidden({
    code: "insufficient_role",
    detail,
    ...(required_role === undefined ? {} : { extra: { required_role } })
  })

const notAuthor = refused("The text of a comment is changed by its author only")
const notResolver = refused("A thread is resolved by who began it, and by editors", "editor")
const notDeleter = refused("A comment is deleted by its author, and by admins", "admin")

const isAuthor = ({ user_id }: Caller, { author_id }: Authored): boolean => author_id === user_id

export const toRewrite = (caller: Caller, comment: Authored): Forbidden | undefined =>
  isAuthor(caller, comment) ? undefined : notAuthor

export const toResolve = (caller: Caller, root: Authored): Forbidden | undefined =>
  isAuthor(caller, root) || isAtLeast(caller.role, "editor") ? undefined : notResolver

export const toDelete = (caller: Caller, comment: Authored): Forbidden | undefined =>
  isAuthor(caller, comment) || isAtLeast(caller.role, "admin") ? undefined : notDeleter
