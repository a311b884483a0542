import { writeFileSync } from 'node:fs'
import { openApiDocument } from '../server/src/http/openapi/document.ts'

/** Brings docs/openapi.json up to date with what the service is. */
writeFileSync(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`)
