import { refuse } from '@kith/contract/refusal'

export function refuseFile(message: string): never {
  refuse({ kind: 'invalid', issues: [{ path: 'file', message }] })
}
