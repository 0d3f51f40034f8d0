/** The modules of the npm package and their sources: `testing` is imported as `sheaf/testing`. */
export const modules: Readonly<Record<string, string>> = {
  testing: "src/testing/Testing.ts"
}
