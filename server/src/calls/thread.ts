import { enableCompileCache } from 'node:module'

// The first line of a thread: see main.ts.
enableCompileCache()
await import('./attend.ts')
