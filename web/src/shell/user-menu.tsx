import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { BookOpen, CircleQuestionMark, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { useState } from 'react'
import { removeAllDrafts, useAllDrafts } from '../api/drafts.ts'
import { messageOf } from '../api/problems.ts'
import { sessionQuery, signOut, startQuery } from '../api/session.ts'
import { useSlug } from '../api/workspace.ts'
import { Confirm } from '../components/confirm.tsx'
import {
  Menu,
  MenuContent,
  MenuItem,
  MenuLine,
  MenuTrigger,
  SubMenu,
  SubMenuContent,
  SubMenuTrigger,
} from '../components/menu.tsx'
import { showToast } from '../components/toast-store.ts'
import { UserAvatar } from '../user-avatar.tsx'
import { type Theme, useTheme } from './theme.ts'

const themes: readonly [Theme, string, typeof Sun][] = [
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
  ['system', 'Like the system', Monitor],
]

/** Who is signed in, how it looks to them, and the way out. */
export function UserMenu() {
  const slug = useSlug()
  const { data: session } = useQuery(sessionQuery)
  const [theme, setTheme] = useTheme()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const unsaved = useAllDrafts().length
  const leave = async () => {
    try {
      await signOut()
    } catch (error) {
      return showToast({ tone: 'danger', message: `You are still signed in: ${messageOf(error)}` })
    }
    removeAllDrafts()
    // A new start, so that nothing of this user stays in memory.
    window.location.assign('/sign-in')
  }
  const name = session?.user.name ?? ''
  return (
    <Menu>
      <MenuTrigger className="flex h-8 w-full items-center gap-2 rounded-md px-2 text-left hover:bg-hover">
        <UserAvatar id={session?.user.id} name={name} />
        <span className="min-w-0 flex-1 truncate text-sm">{name}</span>
      </MenuTrigger>
      <MenuContent side="top" className="w-52">
        <div className="truncate px-2 py-1.5 text-xs text-faint">{session?.user.email}</div>
        <MenuItem
          icon={<UserRound />}
          onSelect={() => navigate({ to: '/$workspace/settings/$page', params: { workspace: slug, page: 'profile' } })}
        >
          Profile
        </MenuItem>
        <SubMenu>
          <SubMenuTrigger icon={<Sun />}>Theme</SubMenuTrigger>
          <SubMenuContent>
            {themes.map(([value, label, Icon]) => (
              <MenuItem key={value} icon={<Icon />} onSelect={() => setTheme(value)}>
                {label}
                {theme === value && <span className="sr-only"> (chosen)</span>}
              </MenuItem>
            ))}
          </SubMenuContent>
        </SubMenu>
        <GuideItem />
        <MenuItem icon={<BookOpen />} onSelect={() => window.open('/docs', '_blank')}>
          API reference
        </MenuItem>
        <MenuLine />
        <MenuItem icon={<LogOut />} onSelect={() => (unsaved > 0 ? setAsking(true) : leave())}>
          Sign out
        </MenuItem>
      </MenuContent>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title="Sign out with unsaved changes?"
        action="Discard and sign out"
        onConfirm={leave}
      >
        {unsaved === 1 ? 'One change is not saved' : `${unsaved} changes are not saved`}. Signing out removes what you
        typed from this browser.
      </Confirm>
    </Menu>
  )
}

/** Nothing where the guide is not built. */
function GuideItem() {
  const { data: start } = useQuery({ ...startQuery, staleTime: Number.POSITIVE_INFINITY })
  if (!start?.guide) return null
  return (
    <MenuItem icon={<CircleQuestionMark />} onSelect={() => window.open('/guide/', '_blank')}>
      Guide
    </MenuItem>
  )
}
