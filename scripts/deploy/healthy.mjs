// The health check of the container: exit code 0 while the server and its database can serve requests.
const { ok } = await fetch(`http://127.0.0.1:${process.env.PORT || 4000}/readyz`)
process.exitCode = ok ? 0 : 1
