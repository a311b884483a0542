import type { Report } from '@kith/contract/issue'
import { PASSWORD_MAX, PASSWORD_MIN } from '@kith/contract/limits'

export function checkPassword(password: string, report: Report, path = 'password'): void {
  if (password.length >= PASSWORD_MIN && password.length <= PASSWORD_MAX) return
  report(path, `The ${path} must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`)
}
