import { writeFileSync } from 'node:fs'
import { openApiDocument } from '../server/src/http/openapi/document.ts'

/** Writes docs/openapi.json from the service's own description. */
writeFileSync(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`)
