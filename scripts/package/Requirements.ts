// The first import of each module of the package. An older Node would fail later, with an error that does not name the
// cause.
if (process.versions["deno"] === undefined && Number.parseInt(process.versions.node) < 24) {
  throw new Error(`sheaf needs Node 24 or later, and this is Node ${process.versions.node}`)
}
