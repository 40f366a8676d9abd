import { Ellipsis, Handshake } from 'lucide-react';
import { Suspense, useState } from 'react';
import { fullName, role } from '#features/members/rules.ts';
import { Button } from '#ui/Button.tsx';
import { lazyPart } from '#ui/LazyPart.tsx';
import { Menu, MenuItem } from '#ui/Menu.tsx';
import type { MemberActionProps } from './RoleSelect.tsx';
import { t } from '#features/members/handover-messages.ts';

const HandOverDialog = lazyPart(() => import('./HandOverClubDialog.tsx'));

/** What an admin does with a member once in a while. A club is handed over to somebody who is not an admin yet. */
export function MemberMenu({ club, member }: MemberActionProps) {
  const [isOpen, setOpen] = useState(false);
  if (member.club_role === role.admin) return null;
  const name = fullName(member);
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button variant="ghost" aria-label={t('actionsFor', { name })} className="w-11 px-0 offline:hidden">
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={Handshake} onSelect={() => setOpen(true)}>
          <span className="min-w-0 max-w-64 wrap-anywhere">{t('handOverTo', { name })}</span>
        </MenuItem>
      </Menu>
      {isOpen && (
        <Suspense>
          <HandOverDialog club={club} member={member} onOpenChange={setOpen} />
        </Suspense>
      )}
    </>
  );
}
