import type { Report } from '@kith/contract/issue'

export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 128

export function checkPassword(password: string, report: Report, path = 'password'): void {
  if (password.length >= PASSWORD_MIN && password.length <= PASSWORD_MAX) return
  report(path, `The ${path} must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`)
}
