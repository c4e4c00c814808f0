/* SPDX-License-Identifier: BSD-3-Clause */
/* NXtomo, finding: looks at the entries of a NeXus file and at their subentries. */
#include "hdf5_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5_files.h"

enum { CHILDREN = 512, DEPTH = 2 };

typedef struct Search {
    const char *path;
    hid_t file, access;
    SinoNxEntry *entry;
    int64_t count;
} Search;

/* Names of a group's links, as many as fit. */
typedef struct Names {
    int count;
    char *name[CHILDREN]; /* owned */
} Names;

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *about, void *to)
{
    Names *names = to;
    (void)group;
    (void)about;
    if (names->count == CHILDREN) return 1;
    names->name[names->count] = strdup(name);
    if (!names->name[names->count]) return 1;
    names->count++;
    return 0;
}

static void free_names(Names *names)
{
    for (int i = 0; i < names->count; i++) free(names->name[i]);
}

/* Whether the link and what it leads to exist; the groups on the way must. */
static bool exists(const Search *search, const char *name)
{
    return H5Lexists(search->file, name, search->access) > 0 &&
           H5Oexists_by_name(search->file, name, search->access) > 0;
}

static bool is_group(const Search *search, const char *name)
{
    if (strcmp(name, "/") != 0 && !exists(search, name)) return false;
    const hid_t object = H5Oopen(search->file, name, search->access);
    const bool group = object >= 0 && H5Iget_type(object) == H5I_GROUP;
    if (object >= 0) (void)H5Oclose(object);
    return group;
}

/* Names of the links in a group, in the order of their names; none if it cannot be read. */
static void list(const Search *search, const char *group, Names *names)
{
    names->count = 0;
    const hid_t object = H5Oopen(search->file, group, search->access);
    if (object >= 0) (void)H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, names);
    if (object >= 0) (void)H5Oclose(object);
}

/* Composes a name; false: it is too long. */
static bool compose(char name[SINO_NX_NAME], const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool compose(char name[SINO_NX_NAME], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(name, SINO_NX_NAME, format, arguments);
    va_end(arguments);
    return length > 0 && length < SINO_NX_NAME;
}

/* The text attribute of an object, or the first text of a list of them. */
static bool text_of(const Search *search, const char *name, const char *attribute, char text[SINO_HDF5_TEXT])
{
    const hid_t object = H5Oopen(search->file, name, search->access);
    const bool found = object >= 0 && sino_hdf5_first_text(object, attribute, text);
    if (object >= 0) (void)H5Oclose(object);
    return found;
}

/* Whether the group's dataset `definition` is the text NXtomo. */
static bool is_defined(const Search *search, const char *group)
{
    char name[SINO_NX_NAME], text[SINO_HDF5_TEXT];
    if (!compose(name, "%s/definition", group) || !exists(search, name)) return false;
    const hid_t dataset = H5Dopen2(search->file, name, search->access);
    const bool found = dataset >= 0 && sino_hdf5_dataset_text(dataset, text) && strncmp(text, "NXtomo", 6) == 0;
    if (dataset >= 0) (void)H5Dclose(dataset);
    return found;
}

/* The axis of the frames in an NXdata group. GDA names the demanded angles; the measured ones are beside them. */
static bool find_axis(const Search *search, const char *data, char angles[SINO_NX_NAME])
{
    char axis[SINO_HDF5_TEXT];
    if (!is_group(search, data) || !text_of(search, data, "axes", axis) || strchr(axis, '/')) return false;
    const size_t length = strlen(axis);
    if (length > 4 && strcmp(axis + length - 4, "_set") == 0) {
        if (compose(angles, "%s/%.*s", data, (int)length - 4, axis) && exists(search, angles)) return true;
    }
    return strcmp(axis, ".") != 0 && compose(angles, "%s/%s", data, axis) &&
           H5Lexists(search->file, angles, search->access) > 0;
}

/* Links that lead nowhere count: opening the dataset then says so. */
static bool find_angles(const Search *search, const char *group, const char *detector, char angles[SINO_NX_NAME])
{
    static const char *const usual[][2] = {{"sample", "rotation_angle"}, {"data", "rotation_angle"}};
    char place[SINO_NX_NAME];
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (compose(place, "%s/%s", group, usual[i][0]) && is_group(search, place) &&
            compose(angles, "%s/%s", place, usual[i][1]) && H5Lexists(search->file, angles, search->access) > 0)
            return true;
    if (compose(place, "%s/%s", group, detector) && find_axis(search, place, angles)) return true;
    *angles = '\0';
    return false;
}

/* Whether the frames can be opened, and are images. */
static bool is_readable(const Search *search, const char *name)
{
    SinoDataset dataset;
    SinoStatus status = sino_dataset_open(search->path, search->file, name, 3, false, &dataset);
    const bool fine = !status && dataset.size[1] > 0 && dataset.size[2] > 1;
    if (!status) sino_dataset_close(&dataset);
    sino_status_free(status);
    return fine;
}

/* Whether two names lead to one dataset. */
static bool is_same(const Search *search, const char *a, const char *b)
{
#if H5_VERSION_GE(1, 12, 0)
    H5O_info2_t first, second;
    int order = 1;
    return H5Oget_info_by_name3(search->file, a, &first, H5O_INFO_BASIC, search->access) >= 0 &&
           H5Oget_info_by_name3(search->file, b, &second, H5O_INFO_BASIC, search->access) >= 0 &&
           first.fileno == second.fileno && H5Otoken_cmp(search->file, &first.token, &second.token, &order) >= 0 &&
           order == 0;
#else
    H5O_info_t first, second;
    return H5Oget_info_by_name(search->file, a, &first, search->access) >= 0 &&
           H5Oget_info_by_name(search->file, b, &second, search->access) >= 0 && first.fileno == second.fileno &&
           first.addr == second.addr;
#endif
}

static bool is_known(const Search *search, const SinoNxEntry *found)
{
    char a[SINO_NX_NAME], b[SINO_NX_NAME];
    for (int64_t i = 0; i < search->count; i++)
        if (compose(a, "%s/data", found->detector) && compose(b, "%s/data", search->entry[i].detector) &&
            is_same(search, a, b))
            return true;
    return false;
}

static void add(Search *search, const SinoNxEntry *found)
{
    if (search->count > 0 && found->score < search->entry[0].score) return;
    if (search->count > 0 && found->score > search->entry[0].score) search->count = 0;
    if (search->count < SINO_NX_ENTRIES && !is_known(search, found)) search->entry[search->count++] = *found;
}

/* Adds instrument/`name` of the group if it has frames and keys. */
static void consider_detector(Search *search, const char *group, const char *name, bool defined)
{
    SinoNxEntry found = {.defined = defined};
    char key[SINO_NX_NAME], data[SINO_NX_NAME];
    if (!compose(found.group, "%s", *group ? group : "/")) return;
    if (!compose(found.detector, "%s/instrument/%s", group, name) || !is_group(search, found.detector)) return;
    if (!compose(key, "%s/image_key", found.detector) || !compose(data, "%s/data", found.detector)) return;
    if (H5Lexists(search->file, key, search->access) <= 0 || H5Lexists(search->file, data, search->access) <= 0) return;
    const bool angles = find_angles(search, group, name, found.angles);
    found.score = (defined ? 6 : is_readable(search, data) ? 2 : 0) + angles;
    add(search, &found);
}

/* `group`: without a slash at the end, so "" is the root. */
static void consider(Search *search, const char *group)
{
    Names names;
    char instrument[SINO_NX_NAME];
    if (!compose(instrument, "%s/instrument", group) || !is_group(search, instrument)) return;
    const bool defined = is_defined(search, group);
    list(search, instrument, &names);
    for (int i = 0; i < names.count; i++) consider_detector(search, group, names.name[i], defined);
    free_names(&names);
}

static bool is_entry(const Search *search, const char *group, const char *name)
{
    char kind[SINO_HDF5_TEXT];
    if (strncmp(name, "entry", 5) == 0 || strcmp(name, "tomo_entry") == 0) return true;
    return text_of(search, group, "NX_class", kind) &&
           (strcmp(kind, "NXentry") == 0 || strcmp(kind, "NXsubentry") == 0);
}

static void walk(Search *search, const char *group, int depth) /* NOLINT(misc-no-recursion): DEPTH bounds it */
{
    Names names;
    consider(search, group);
    if (depth == DEPTH) return;
    list(search, *group ? group : "/", &names);
    for (int i = 0; i < names.count; i++) {
        char child[SINO_NX_NAME];
        if (compose(child, "%s/%s", group, names.name[i]) && is_group(search, child) &&
            is_entry(search, child, names.name[i]))
            walk(search, child, depth + 1);
    }
    free_names(&names);
}

/* The frames themselves were named: their group has the keys. */
static void consider_frames(Search *search, const char *frames)
{
    char group[SINO_NX_NAME];
    if (!compose(group, "%s", frames)) return;
    char *slash = strrchr(group, '/');
    if (!slash || strcmp(slash, "/data") != 0) return;
    *slash = '\0';
    char *detector = strrchr(group, '/');
    if (!detector || detector == group) return;
    *detector++ = '\0';
    const size_t length = strlen(group), tail = strlen("/instrument");
    if (length < tail || strcmp(group + length - tail, "/instrument") != 0) return;
    group[length - tail] = '\0';
    consider_detector(search, group, detector, is_defined(search, group));
}

void sino_nxtomo_find(const char *path, hid_t file, const char *group, SinoNxEntry entry[SINO_NX_ENTRIES],
                      int64_t *count)
{
    char name[SINO_NX_NAME];
    Search search = {.path = path, .file = file, .entry = entry};
    *count = 0;
    sino_hdf5_quiet();
    if (!compose(name, "%s%s", *group == '/' ? "" : "/", group)) return;
    for (size_t length = strlen(name); length > 0 && name[length - 1] == '/'; length--) name[length - 1] = '\0';
    search.access = sino_hdf5_link_access();
    if (search.access < 0) return;
    if (!*name || is_group(&search, name))
        walk(&search, name, 0);
    else
        consider_frames(&search, name);
    (void)H5Pclose(search.access);
    *count = search.count;
}
