import { Badge } from '#ui/Badge.tsx';
import { t } from '#features/members/messages.ts';

/** Marks a member whose address refuses emails. */
export const NotArriving = () => (
  <Badge tone="warn" className="my-1">
    {t('emailDoesNotArrive')}
  </Badge>
);
