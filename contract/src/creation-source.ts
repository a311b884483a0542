/** How a record came to be. Set by the system, never by the caller. */
export const creationSources = ['web', 'api', 'mcp', 'import', 'sample'] as const
export type CreationSource = (typeof creationSources)[number]
