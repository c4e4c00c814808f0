/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 driver: the virtual file layer's callbacks over an output file. */
#include "hdf5_files.h"

#include <stdlib.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

/* HDF5 asks for two ends: of the addresses that it may use (eoa), and of the file (eof). */
typedef struct Driver {
    H5FD_t base; /* used by HDF5; must be first */
    SinoOutputFile *file;
    haddr_t eoa, eof;
} Driver;

typedef struct DriverInfo {
    SinoOutputFile *file;
} DriverInfo;

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t address_limit)
{
    (void)name;
    (void)address_limit;
    const DriverInfo *info = H5Pget_driver_info(access);
    Driver *driver = info ? calloc(1, sizeof *driver) : NULL;
    if (!driver) return NULL;
    driver->file = info->file;
    /* HDF5 takes a file without an end for a new one. */
    driver->eof = flags & H5F_ACC_TRUNC ? 0 : (haddr_t)sino_output_size(info->file);
    return &driver->base;
}

static herr_t driver_close(H5FD_t *base)
{
    free(base); /* the output file is not owned */
    return 0;
}

static int driver_compare(const H5FD_t *a, const H5FD_t *b)
{
    const SinoOutputFile *first = ((const Driver *)a)->file, *second = ((const Driver *)b)->file;
    return first < second ? -1 : first > second;
}

static herr_t driver_query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
#ifdef H5FD_FEAT_DEFAULT_VFD_COMPATIBLE
    *flags |= H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
#endif
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const Driver *)base)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((Driver *)base)->eoa = address;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const Driver *)base)->eof;
}

static herr_t driver_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t count, void *bytes)
{
    (void)type;
    (void)transfer;
    return sino_output_read(((Driver *)base)->file, (int64_t)address, bytes, count) ? 0 : -1;
}

static herr_t driver_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t count,
                           const void *bytes)
{
    (void)type;
    (void)transfer;
    Driver *driver = (Driver *)base;
    sino_output_write(driver->file, (int64_t)address, bytes, count);
    if (address + count > driver->eof) driver->eof = address + count;
    return 0;
}

static herr_t driver_truncate(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    Driver *driver = (Driver *)base;
    /* What lies beyond the end so far may be values of a killed run (sino_hdf5_output_reopen). */
    const haddr_t size = (haddr_t)sino_output_size(driver->file);
    if (closing ? driver->eoa != size : driver->eoa > size) sino_output_resize(driver->file, (int64_t)driver->eoa);
    driver->eof = driver->eoa;
    return 0;
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = 511, /* the last value that HDF5 leaves to programs */
#endif
    .name = "sinodag",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(DriverInfo),
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t sino_hdf5_driver_register(void)
{
    return H5FDregister(&driver_class);
}

void sino_hdf5_driver_unregister(hid_t driver)
{
    if (driver >= 0) (void)H5FDunregister(driver); /* on failure the driver stays until exit, which is harmless */
}

hid_t sino_hdf5_driver_access(hid_t driver, SinoOutputFile *file)
{
    const DriverInfo info = {file};
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) return H5I_INVALID_HID;
    if (H5Pset_driver(access, driver, &info) >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0) return access;
    (void)H5Pclose(access);
    return H5I_INVALID_HID;
}
