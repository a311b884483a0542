import server from '../package.json' with { type: 'json' }

/** The version of Kith: `kith --version` prints it, and the MCP server reports it. */
export const version: string = server.version
