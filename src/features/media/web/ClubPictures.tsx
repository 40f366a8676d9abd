import { api } from '#web/api.ts';
import type { Club } from '#features/clubs/contract.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Cover } from '#ui/Cover.tsx';
import { PicturePicker } from './PicturePicker.tsx';

/** Lets admins change the picture and the banner of a club. */
export function ClubPictures({ club }: { club: Club }) {
  const { id, club_name, profile_picture_url, profile_banner_url } = club;
  return (
    <div className="mb-5 flex flex-col gap-5">
      <PicturePicker
        kind="avatar"
        isSet={profile_picture_url !== null}
        preview={<Avatar square name={club_name} seed={id} src={profile_picture_url} size="xl" />}
        send={(file, onProgress) => api.media.setAvatar({ club: id, file }, onProgress)}
        remove={() => api.media.removeAvatar({ club: id })}
      />
      <PicturePicker
        kind="banner"
        isSet={profile_banner_url !== null}
        preview={<Cover seed={id} src={profile_banner_url} className="aspect-3/1! rounded-lg" />}
        send={(file, onProgress) => api.media.setBanner({ club: id, file }, onProgress)}
        remove={() => api.media.removeBanner({ club: id })}
      />
    </div>
  );
}
