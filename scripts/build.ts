import { join } from 'node:path'
import { build } from 'vite'
import { bundleServer } from './bundle-server.ts'

/** Builds the web application, and at the same time the bundle of the server. */
const webApp = build({
  configFile: join(import.meta.dirname, '../web/vite.config.ts'),
  logLevel: 'warn',
  // To measure what is written takes a second of a processor.
  build: { reportCompressedSize: false },
})
await Promise.all([webApp, bundleServer()])
