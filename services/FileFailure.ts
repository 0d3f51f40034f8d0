/** Error codes of the file system, in words. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or directory",
  EACCES: "this user may not read and write it",
  EPERM: "it belongs to another user",
  EROFS: "its file system is read-only",
  ENOSPC: "its file system is full",
  EDQUOT: "the disk quota of this user is used up",
  EEXIST: "it is not a directory",
  ENOTDIR: "a part of its path is not a directory",
  EISDIR: "it is a directory",
  ELOOP: "its path has a loop of symbolic links",
  ENAMETOOLONG: "its path is too long",
  EIO: "the disk failed"
}

/** The file and the reason, for an error of the file system; undefined for any other error. */
export const fileFailure = (error: unknown, file: string): string | undefined => {
  if (!(error instanceof Error) || !("syscall" in error)) return undefined
  const { code, path } = error as NodeJS.ErrnoException
  return `${path ?? file}: ${reasons[code ?? ""] ?? error.message}`
}
