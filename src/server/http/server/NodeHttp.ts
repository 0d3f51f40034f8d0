/** An import of `node:http` also reads its WebSocket, for which Node loads its HTTP client: 4 MB that the server does not use. */
export const { createServer, STATUS_CODES } = process.getBuiltinModule("node:http")
