import { roles } from '@kith/contract/abilities'
import { useQuery } from '@tanstack/react-query'
import { Check, Minus } from 'lucide-react'
import { rolesQuery } from '../../../api/managed-workspace.ts'
import { useSlug } from '../../../api/workspace.ts'
import { ErrorState } from '../../../components/error-state.tsx'
import { Skeleton } from '../../../components/skeleton.tsx'
import { roleNames } from '../role-words.ts'

/** Who may do what, as the service itself says it. */
export function RoleTable() {
  const { data: rows, error, refetch } = useQuery(rolesQuery(useSlug()))
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!rows) return <Skeleton className="h-80" />
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
        {rows.map((row) => (
          <tr key={row.ability} className="border-b border-line">
            <th scope="row" className="py-1.5 pr-2 text-left font-normal first-letter:uppercase">
              {row.description}
            </th>
            {roles.map((role) => (
              <td key={role} className="py-1.5">
                <span className="grid place-items-center">
                  {row[role] ? (
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
