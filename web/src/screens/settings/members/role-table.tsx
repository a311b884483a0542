import { roles } from '@kith/contract/abilities'
import { type Permission, permissions, roleMay } from '@kith/contract/permissions'
import { Check, Minus } from 'lucide-react'
import { roleNames } from '../role-words.ts'

// The keys of the table are its names.
const names = Object.keys(permissions) as Permission[]

/** Who may do what, from the table that the service checks. */
export function RoleTable() {
  return (
    <table className="w-full text-sm">
      <thead>
        <tr className="border-b border-line text-xs text-faint">
          <th scope="col" className="py-2 pr-2 text-left font-normal">
            May
          </th>
          {roles.map((role) => (
            <th key={role} scope="col" className="w-14 py-2 text-center font-normal sm:w-20">
              {roleNames[role]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name} className="border-b border-line">
            <th scope="row" className="py-1.5 pr-2 text-left font-normal first-letter:uppercase">
              {permissions[name].allows}
            </th>
            {roles.map((role) => (
              <td key={role} className="py-1.5">
                <span className="grid place-items-center">
                  {roleMay(role, name) ? (
                    <Check role="img" aria-label="Yes" className="size-4 text-success" />
                  ) : (
                    <Minus role="img" aria-label="No" className="size-4 text-faint opacity-60" />
                  )}
                </span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
