import type { Role } from '@kith/contract/abilities'
import { type Permission, roleMay } from '@kith/contract/permissions'
import {
  CreditCard,
  History,
  KeyRound,
  type LucideIcon,
  Plug,
  RefreshCw,
  Settings2,
  ShieldCheck,
  TextCursorInput,
  Trash2,
  Upload,
  UserRound,
  UsersRound,
  Webhook,
} from 'lucide-react'

export type SettingPage = {
  page: string
  label: string
  icon: LucideIcon
  group: 'You' | 'Workspace'
  needs?: Permission
  hosted?: true
}

const pages: readonly SettingPage[] = [
  { page: 'profile', label: 'Profile and appearance', icon: UserRound, group: 'You' },
  { page: 'security', label: 'Password and sign-in', icon: ShieldCheck, group: 'You' },
  { page: 'workspace', label: 'General', icon: Settings2, group: 'Workspace' },
  { page: 'members', label: 'Members', icon: UsersRound, group: 'Workspace' },
  { page: 'fields', label: 'Custom fields', icon: TextCursorInput, group: 'Workspace' },
  { page: 'tokens', label: 'Access Tokens', icon: KeyRound, group: 'Workspace' },
  { page: 'connections', label: 'Connections', icon: Plug, group: 'Workspace' },
  { page: 'sync', label: 'Sync', icon: RefreshCw, group: 'Workspace' },
  { page: 'webhooks', label: 'Webhooks', icon: Webhook, group: 'Workspace', needs: 'create' },
  { page: 'imports', label: 'Imports', icon: Upload, group: 'Workspace', needs: 'create' },
  { page: 'trash', label: 'Trash', icon: Trash2, group: 'Workspace', needs: 'delete' },
  { page: 'audit', label: 'Audit log', icon: History, group: 'Workspace', needs: 'read_audit_log' },
  { page: 'billing', label: 'Billing', icon: CreditCard, group: 'Workspace', hosted: true },
]

/** The pages of the settings that this member sees. */
export function settingPagesFor(role: Role, hosted: boolean): SettingPage[] {
  return pages.filter((one) => (hosted || !one.hosted) && (one.needs === undefined || roleMay(role, one.needs)))
}
