/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: writes the seeds, small inputs that the readers accept: FOLDER/TARGET/1 … */
#include "brick_pack.h"
#include "fuzz.h"
#include "journal.h"
#include "matrix_seeds.h"
#include "memory.h"
#include "operator_file.h"
#include "testing_npy.h"
#include "testing_ole.h"
#include "tiff_images.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <zip.h>

char *fuzz_seed_path(const char *folder, const char *target, int number)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, target);
    (void)mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%d", folder, target, number);
    return path;
}

/* A file that begins with `prefix`, as far as the target takes one, and goes on with a text. */
static void write_text(const char *folder, const char *target, int number, const char *prefix, size_t prefix_size,
                       const char *text)
{
    FILE *out = fopen(fuzz_seed_path(folder, target, number), "w");
    fuzz_require(out && fwrite(prefix, 1, prefix_size, out) == prefix_size && fputs(text, out) >= 0);
    fuzz_require(fclose(out) == 0);
}

static void write_scan(const char *path, SinoCountType type)
{
    static const uint16_t counts[3 * 2 * 4];
    static const double angle_rad[] = {0, 1, 2};
    const SinoScanShape shape = {type, 3, 2, 4, 1, 1, angle_rad, "", {0}};
    SinoScanWriter *writer = NULL;
    fuzz_require(!sino_scan_writer_open(path, true, &shape, &writer));
    fuzz_require(!sino_scan_writer_rows(writer, 0, 2, counts, counts, counts));
    fuzz_require(!sino_scan_writer_finish(writer));
}

static void write_xradia(const char *path)
{
    static unsigned char bytes[512 * 64];
    static const float angle[] = {0, 1};
    static const uint16_t image[2 * 3 * 5], flat[3 * 5];
    FILE *out = fopen(path, "w");
    const TestingXradia wanted = {.shift = 9,
                                  .stated = 2,
                                  .rows = 3,
                                  .columns = 5,
                                  .images = 2,
                                  .image = image,
                                  .flat = flat,
                                  .angle = angle,
                                  .pixel_um = 1,
                                  .source = 1,
                                  .detector = 1};
    const size_t size = testing_ole_xradia(&wanted, bytes);
    fuzz_require(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
}

static void write_journal(const char *path)
{
    static double residuals[] = {4, 3, 2, 1};
    static int64_t counts[] = {0, 1, 2};
    const SinoJournalEntry entry = {.slice_count = 2,
                                    .columns = 2,
                                    .keeper = 1,
                                    .residuals = residuals,
                                    .repaired = counts,
                                    .tally_count = 3,
                                    .tally = counts};
    SinoJournal *journal = NULL;
    fuzz_require(!sino_journal_create(path, "version: 1\n", &journal));
    sino_journal_append(journal, &entry);
    sino_journal_append(journal, &entry);
    sino_journal_close(journal);
}

/* Blocks of 40 rows and 80 voxels, single and mixed, in bricks of 16 and 32. */
static void write_bricks(const char *folder, int number)
{
    enum { ROWS = 40, EACH = 7, COLUMNS = 80 };
    static int64_t start[ROWS + 1];
    static uint32_t column[ROWS * EACH];
    static float value[ROWS * EACH];
    const SinoSparseRows rows = {.row_count = ROWS, .start = start, .column = column, .value = value};
    const SinoVoxelGrid grid = {.x_count = COLUMNS, .y_count = 1, .z_count = 1};
    const SinoBrickShape shape = {{number % 2 ? 16 : 32, 1, 1}, {2, 1, 1}};
    SinoBrickOrder *order;
    SinoBrickHead *block;
    for (int i = 0; i < ROWS * EACH; i++) {
        start[i / EACH + 1] = i + 1;
        column[i] = (uint32_t)(i / EACH + i % EACH * 5);
        value[i] = (float)(1 + i % 9);
    }
    fuzz_require(!sino_brick_order_of_grid(&grid, &shape, &order));
    fuzz_require(!sino_brick_pack(order, number < 2 ? SINO_SINGLE : SINO_MIXED, &rows, &block));
    FILE *out = fopen(fuzz_seed_path(folder, "brick", number + 1), "w");
    fuzz_require(out && fwrite(block, 1, (size_t)block->bytes, out) == (size_t)block->bytes && fclose(out) == 0);
    sino_brick_order_free(order);
    sino_free_large(block);
}

static void write_dataset(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size, const void *values)
{
    const hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(rank, size, NULL);
    fuzz_require(H5Pset_create_intermediate_group(links, 1) >= 0);
    const hid_t dataset = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    fuzz_require(dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    fuzz_require(H5Dclose(dataset) >= 0 && H5Pclose(links) >= 0 && H5Sclose(space) >= 0);
}

/* Six frames of 2 x 4 pixels: dark, flat, four projections. */
static void write_nxtomo(const char *path)
{
    static const uint16_t counts[6 * 2 * 4];
    static const int key[6] = {2, 1};
    static const double angle[6] = {0, 0, 0, 45, 90, 135};
    static const hsize_t size[] = {6, 2, 4};
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    fuzz_require(file >= 0);
    write_dataset(file, "/entry/instrument/detector/data", H5T_NATIVE_UINT16, 3, size, counts);
    write_dataset(file, "/entry/instrument/detector/image_key", H5T_NATIVE_INT, 1, size, key);
    write_dataset(file, "/entry/sample/rotation_angle", H5T_NATIVE_DOUBLE, 1, size, angle);
    fuzz_require(H5Fclose(file) >= 0);
}

static void write_process_text(hid_t file, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), links = H5Pcreate(H5P_LINK_CREATE);
    fuzz_require(H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0);
    const hid_t data = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    fuzz_require(data >= 0 && H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0);
    fuzz_require(H5Dclose(data) >= 0 && H5Pclose(links) >= 0 && H5Sclose(space) >= 0 && H5Tclose(type) >= 0);
}

/* What join reads of a volume of 2 slices of 3 x 3 voxels, as floats and as integers. */
static void write_volume(const char *path, bool integers)
{
    static const float voxels[2 * 3 * 3] = {1, 2};
    static const uint16_t codes[2 * 3 * 3] = {1, 2};
    static const double range[] = {-1, 2}, center[] = {1.5};
    static const hsize_t size[] = {2, 3, 3}, two = 2, one = 1;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    fuzz_require(file >= 0);
    if (integers) write_dataset(file, "/exchange/data", H5T_NATIVE_UINT16, 3, size, codes);
    if (integers) write_dataset(file, "/process/output_range", H5T_NATIVE_DOUBLE, 1, &two, range);
    if (!integers) write_dataset(file, "/exchange/data", H5T_NATIVE_FLOAT, 3, size, voxels);
    write_dataset(file, "/process/center", H5T_NATIVE_DOUBLE, 1, &one, center);
    write_process_text(file, "/process/settings", "algorithm: cg\nstart-row: 4\nend-row: 6\nbinning: 1\n");
    write_process_text(file, "/process/input_xxh3", "0123456789abcdef");
    fuzz_require(H5Fclose(file) >= 0);
}

static void write_arrays(const char *folder)
{
    static const uint16_t values[4 * 2 * 3] = {1, 2, 3};
    static const char edf[] =
        "{\nByteOrder = HighByteFirst ;\nDataType = UnsignedShort ;\nDim_1 = 3 ;\nDim_2 = 2 ;\n}\n"
        "aabbccddeeff";
    size_t bytes;
    unsigned char *file = testing_npy(1, "<u2", "(4, 2, 3)", values, sizeof values, &bytes);
    FILE *out = fopen(fuzz_seed_path(folder, "arrays", 1), "w");
    fuzz_require(out && fwrite("\1\2", 1, 2, out) == 2 && fwrite(file, 1, bytes, out) == bytes && fclose(out) == 0);
    free(file);
    out = fopen(fuzz_seed_path(folder, "arrays", 2), "w");
    fuzz_require(out && fwrite("\0\1", 1, 2, out) == 2 && fputs(edf, out) >= 0 && fputs(edf, out) >= 0);
    fuzz_require(fclose(out) == 0);
}

/* An archive of two arrays, behind the two bytes of fuzz_arrays.c. */
static void write_archive(const char *path)
{
    static const uint16_t values[4 * 2 * 3] = {1, 2, 3};
    unsigned char bytes[4096];
    size_t count;
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    for (int i = 0; i < 2; i++) {
        unsigned char *array = testing_npy(1, "<u2", i ? "(4,)" : "(4, 2, 3)", values, i ? 8 : sizeof values, &count);
        zip_source_t *source = zip_source_buffer(zip, array, count, 1);
        fuzz_require(zip_file_add(zip, i ? "theta.npy" : "data.npy", source, ZIP_FL_OVERWRITE) == i);
    }
    fuzz_require(zip_close(zip) == 0);
    FILE *file = fopen(path, "r+");
    fuzz_require(file && (count = fread(bytes, 1, sizeof bytes, file)) > 0 && fseek(file, 0, SEEK_SET) == 0);
    fuzz_require(fwrite("\0\0", 1, 2, file) == 2 && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

/* A seed of fuzz_images.c: a byte for the request, then a file. */
static void write_image(const char *folder, int number, const void *bytes, size_t count)
{
    FILE *out = fopen(fuzz_seed_path(folder, "images", number), "w");
    fuzz_require(out && fputc(0, out) == 0 && fwrite(bytes, 1, count, out) == count && fclose(out) == 0);
}

/* A stack of 3 x 2 x 2 integers of 16 bits, with angles of SerialEM. */
static void write_mrc(const char *folder, int number)
{
    static const int32_t sizes[] = {3, 2, 2, 1};
    unsigned char file[1024 + 4 + 24] = {[92] = 4, [128] = 2, [130] = 1, [1024] = 1, [1026] = 2};
    memcpy(file, sizes, sizeof sizes);
    memcpy(file + 208, "MAP DD", 6);
    write_image(folder, number, file, sizeof file);
}

/* A cube of 3 x 1 x 2 integers of 16 bits. */
static void write_fits(const char *folder, int number)
{
    static const char *const cards[] = {"SIMPLE  = T",     "BITPIX  = 16", "NAXIS   = 3", "NAXIS1  = 3",
                                        "NAXIS2  = 1",     "NAXIS3  = 2",  "BLANK   = 3", "BZERO   = 32768 / ",
                                        "BSCALE  = 1.0D0", "GCOUNT  = 1 ", "PCOUNT  = 0", "END     "};
    char file[2880 + 12];
    memset(file, ' ', sizeof file);
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) memcpy(file + 80 * i, cards[i], strlen(cards[i]));
    write_image(folder, number, file, sizeof file);
}

/* An image of 2 x 1 x 2 integers of 16 bits in DM3, or with lengths of 8 bytes in DM4. */
static void write_dm(const char *folder, int number, bool wide)
{
#define TAG(kind, length, name)           kind "\0" length name W4
#define GROUP(length, name, tags)         TAG("\24", length, name) "\1\0" W "\0\0\0" tags
#define NUMBER(length, name, type, value) TAG("\25", length, name) "%%%%" W "\0\0\0\1" W "\0\0\0" type value
#define TREE                                                                                                           \
    W "\0\0\0\x64\0\0\0\1\1\0" W "\0\0\0\1" GROUP("\x09", "ImageList", "\1") GROUP("\0", "", "\1")                     \
        GROUP("\x09", "ImageData", "\3")                                                                               \
            TAG("\25", "\4", "Data") "%%%%" W "\0\0\0\3" W "\0\0\0\24" W "\0\0\0\4" W                                  \
                                     "\0\0\0\4abcdefgh" NUMBER("\x08", "DataType", "\5", "\x0a\0\0\0")                 \
                                         GROUP("\x0a", "Dimensions", "\3") NUMBER("\0", "", "\5", "\2\0\0\0")          \
                                             NUMBER("\0", "", "\5", "\1\0\0\0") NUMBER("\0", "", "\5", "\2\0\0\0")
#define W
#define W4
    static const char narrow_file[] = "\0\0\0\3" TREE;
#undef W
#undef W4
#define W  "\0\0\0\0"
#define W4 "\0\0\0\0\0\0\0\1"
    static const char wide_file[] = "\0\0\0\4" TREE;
    write_image(folder, number, wide ? wide_file : narrow_file, wide ? sizeof wide_file : sizeof narrow_file);
}

/* Calls of fuzz_library.c. Of each kind an operator: of 4 angles, or 6 rows, and 5 columns; products and solutions of
 * two slices, a volume or two; a reconstruction; settings. */
static void write_calls(const char *folder)
{
#define MADE "\0\1\1\0\1\0\0\0"                                 /* an operator without subsets and settings */
    static const char parallel[] = "\0"                         /* no value is NaN */
                                   "\0\0\4\5\0" MADE            /* the operator */
                                   "\0\3\1\2\5\5\0\1\2\4\5\0\1" /* A x */
                                   "\0\4\1\2\5\5\1\2\2\4\5\2\0" /* its transpose, in other orders */
                                   "\0\10\1\1\4\2\5\0\1\0\1\1\1fbp-filter=hann\0\1" /* a reconstruction by fbp */
                                   "\0\6recon\0"
                                   "\0\2\0\1";
    static const char cone[] = "\0"
                               "\0\0\4\5\1\3" MADE "\0\3\1\3\5\5\0\1\4\3\5\0\1"
                               "\0\4\1\3\5\5\1\2\4\3\5\2\0"
                               "\0\7\1\4\3\5\0\0\1\3\5\5\0\1\3\5\5\0\0\0\0\0\0";
    static const char volumes[] = "\0"
                                  "\0\0\4\5\1\3" MADE "\0\3\1\3\5\5\17\1\4\3\5\17\1"
                                  "\0\7\1\4\3\5\17\0\1\3\5\5\0\1\3\5\5\17\2\0\0\0\0"; /* by FDK */
    static const char matrix[] =
        "\0"
        "\0\0\4\5\2\6\5\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\0\0" MADE "\0\3\1\2\5\1\0\1\2\6\1\0\1"
        "\0\4\1\2\5\1\1\2\2\6\1\2\0"
        "\0\7\1\2\6\1\0\0\1\1\5\1\0\1\2\5\1\0\0\0\0\1\0"; /* with a start */
#undef MADE
    const struct {
        const char *calls;
        size_t bytes;
    } all[] = {{parallel, sizeof parallel}, {cone, sizeof cone}, {volumes, sizeof volumes}, {matrix, sizeof matrix}};
    for (int i = 0; i < 4; i++) {
        FILE *out = fopen(fuzz_seed_path(folder, "library", i + 1), "wb");
        fuzz_require(out && fwrite(all[i].calls, 1, all[i].bytes, out) == all[i].bytes && fclose(out) == 0);
    }
}

int main(int count, char **arguments)
{
    static const float values[16] = {1, 2};
    static const uint16_t pieces[] = {1, 2, 3};
    const char *folder = count == 2 ? arguments[1] : ".";
    const SinoOperatorKey key = sino_operator_file_key("fuzz", 4);
    const SinoOperatorPiece piece[] = {{pieces, 6}, {pieces, 2}, {pieces, 0}};
    write_scan(fuzz_seed_path(folder, "hdf5", 1), SINO_COUNT_UINT16);
    write_nxtomo(fuzz_seed_path(folder, "hdf5", 2));
    write_arrays(folder);
    write_archive(fuzz_seed_path(folder, "arrays", 3));
    write_mrc(folder, 1);
    write_fits(folder, 2);
    write_dm(folder, 3, false);
    write_dm(folder, 4, true);
    write_volume(fuzz_seed_path(folder, "join", 1), false);
    write_volume(fuzz_seed_path(folder, "join", 2), true);
    fuzz_require(!sino_tiff_image_write(fuzz_seed_path(folder, "tiff", 1), 4, 4, values, "text"));
    fuzz_require(!sino_operator_file_write(fuzz_seed_path(folder, "operator", 1), &key, 3, piece));
    for (int number = 0; number < 4; number++) write_bricks(folder, number);
    write_journal(fuzz_seed_path(folder, "journal", 1));
    write_text(folder, "shapes", 1, "", 0, "\x04\x03\x02\x02\x03\x01\x04\x03\x02\x02\x03\x01\x04\x01\x02\x01\x03");
    write_text(folder, "sinogram", 1, "\3\0\4", 3, "0\n1\naaaabbbbccccddddaaaabbbbccccdddd");
    write_text(folder, "stream", 1, "", 0,
               "{\"htype\": \"header\", \"shape\": [7, 5, 3], \"type\": \"uint16\", \"flats\": 2, \"darks\": 1}");
    write_text(
        folder, "stream", 2, "", 0,
        "{\"htype\": \"image\", \"frame\": 4, \"shape\": [5, 3], \"type\": \"float32\", \"compression\": \"none\"}");
    write_text(folder, "stream", 3, "", 0, "{\"htype\": \"series_end\"}");
    write_text(folder, "theta", 1, "\0\1", 2, "# degrees\n0\n 0.5e1\n-3\n");
    write_text(folder, "theta", 2, "\7\0", 2, "0:180:excluded");
    write_text(folder, "theta", 3, "\7\0", 2, "0:step:0.5");
    write_text(folder, "machine", 1, "", 0,
               "name: two boxes\nnodes: 2\ncores: 15\nmemory: 120 GB\ncore-gflops: 50\ncore-bandwidth: 8\n"
               "device: cuda\ndevices: 1\ndevice-memory: 24 GB\ndevice-gflops: 6000\ndevice-bandwidth: 700\n"
               "host-device-bandwidth: 22\ndevice-device-bandwidth: 11\nhost-bandwidth: 22\n");
    write_text(folder, "machine", 2, "", 0, "like: h100x8\ndevice: none\nlink-latency: 3\n");
    write_text(folder, "yaml", 1, "\0", 1,
               "file-name: a.h5\nout: \"b.h5\"\nalgorithm: sirt\nmemory: 2GiB\ngrid: 2x3\n");
    write_text(folder, "yaml", 2, "\5", 1, "angles: 3\ncolumns: 4\nslices: 5\nnode-weights: 1,2.5\n");
    write_text(folder, "yaml", 3, "\0", 1,
               "file-name: a.h5\nout: b.h5\nstages:\n  - air\n  - zingers\nbeam-hardening: [1, 0.5]\n");
    write_text(folder, "arguments", 1, "\0", 1,
               "a.h5\n--out=b.h5\n--num_iter\n3\n--minus-log\nTrue\n--topology\nnodes=2");
    write_text(folder, "arguments", 2, "\4", 1, "--slices\n1,2\n--precision\nsingle,half\n--center\n3");
    write_text(folder, "table", 1, "", 0,
               "precision,slices,workers,project_gflops,backproject_gflops,read_gbps\nsingle,4,2,10,10,40\n");
    write_text(
        folder, "interfile", 1, "", 0,
        "!INTERFILE :=\nname of data file := a.s\n!number format := float\nnumber of bytes per pixel := 4\n"
        "imagedata byte order := LITTLEENDIAN\nnumber of dimensions := 4\n!matrix size [1] := 3\n"
        "!matrix size [2] := {1,2,1}\n!matrix size [3] := 4\nmatrix size [4] := 3\nmatrix axis label [4] := segment\n"
        "number of time frames := 2\ndata offset in bytes [2] := 100\nimage scaling factor [1] := {2,2}\n"
        "quantification units := 1\nEND OF INTERFILE :=\n");
    write_text(folder, "interfile", 2, "", 0,
               "!INTERFILE :=\nname of data file := b/a.s\n!number of bytes per pixel := 2\n!matrix size [1] := 3\n"
               "!matrix size [2] := 3\n!number of projections := 5\nprocess status := acquired\n"
               "scaling factor (mm/pixel) [1] := 2\nscaling factor (mm/pixel) [2] := 2\nextent of rotation := 180\n"
               "start angle := 0\ndirection of rotation := CW\nradii := {9,9,8,9,9}\n");
    write_xradia(fuzz_seed_path(folder, "scanner", 5));
    write_text(folder, "scanner", 1, "", 0,
               "[XTekCT]\nName=s\nSrcToObject=100\nSrcToDetector=400\nDetectorPixelsX=5\nDetectorPixelSizeX=0.2\n"
               "DetectorPixelsY=3\nDetectorPixelSizeY=0.2\nWhiteLevel=60000\nProjections=4\nAngularStep=90\n");
    write_text(folder, "scanner", 2, "", 0,
               "[System]\nScanner=SkyScan1\n[Acquisition]\nFilename Prefix=s\nNumber Of Files= 3\nNumber Of Rows= 3\n"
               "Optical Axis (line)= 2\nObject to Source (mm)=100\nCamera to Source (mm)=400\n"
               "Image Pixel Size (um)=50\nRotation Step (deg)=2\n");
    write_text(folder, "scanner", 3, "", 0,
               "<NSI Reconstruction Project>\n<Object Radiograph>\n<file>r*.tif\n<pitch>0.2 0.2\n<number>3\n"
               "<angleStep>1\n</Object Radiograph>\n<Result>\n<source>0 0 -100\n<axis>0 -1 0\n<center>0 0 0\n"
               "<reference>0.4 0.2 300\n<normal>0 0 1\n<horizontal>-1 0 0\n</Result>\n");
    write_text(folder, "scanner", 4, "", 0,
               "MM_SID = 400 #304.8\nMM_SOD = 100\nPROJECTION = 4\nDET_NU = 5\nDET_NV = 3\nDET_PU = 0.2\nDET_PV = 1\n");
    write_text(folder, "scanner", 6, "", 0,
               "{\"file\": {\"file_type\": \"CTSimU Metadata\"}, \"output\": {\"projections\": {\"number\": 2, "
               "\"filename\": \"p%02d.raw\", \"datatype\": \"uint16\", \"headersize\": {\"file\": 3}, "
               "\"dimensions\": {\"x\": 3, \"y\": 2}}}, \"acquisition_geometry\": {\"path_to_CTSimU_JSON\": \".\"}}");
    write_text(
        folder, "vectors", 1, "\0", 1,
        "srcX,srcY,srcZ,dX,dY,dZ,uX,uY,uZ,vX,vY,vZ\n0,-9,0,0,9,0,0.2,0,0,0,0,0.2\n9,0,0,-9,0,0,0,0.2,0,0,0,0.2\n");
    write_text(folder, "vectors", 2, "\1", 1,
               "rayX,rayY,rayZ,dX,dY,dZ,uX,uY,uZ,vX,vY,vZ\n0,1,0,0,0,0,0.2,0,0,0,0,0.2\n");
    write_text(
        folder, "vectors", 3, "\0", 1,
        "<RTKThreeDCircularGeometry version=\"3\"><!-- - --><SourceToIsocenterDistance>9</SourceToIsocenterDistance>"
        "<SourceToDetectorDistance>12</SourceToDetectorDistance><Projection><GantryAngle>90</GantryAngle><Matrix>"
        "0 0 -12 0 0 -12 0 0 1 0 0 -9</Matrix></Projection></RTKThreeDCircularGeometry>");
    write_text(
        folder, "vectors", 4, "\0", 1,
        "{\"geometry\":{\"source\":{\"center\":{\"x\":0,\"y\":0,\"z\":0},\"vector_u\":{\"x\":0,\"y\":-1,\"z\":0},"
        "\"vector_w\":{\"x\":1,\"y\":0,\"z\":0}},\"stage\":{\"center\":{\"x\":9,\"y\":0,\"z\":0},\"vector_u\":{\"x\":"
        "1,\"y\":0,\"z\":0},\"vector_w\":{\"x\":0,\"y\":0,\"z\":1},\"deviations\":[{\"type\":\"rotation\",\"axis\":"
        "\"u\",\"amount\":{\"value\":1,\"unit\":\"deg\",\"drifts\":[{\"value\":[0,2]}]},\"pivot\":{\"x\":1,\"y\":0,"
        "\"z\":0}}]},\"detector\":{\"center\":{\"x\":12,\"y\":0,\"z\":0},\"vector_u\":{\"x\":0,\"y\":-1,\"z\":0},"
        "\"vector_w\":{\"x\":1,\"y\":0,\"z\":0}}},\"detector\":{\"columns\":4,\"rows\":3,\"pixel_pitch\":{\"u\":1,"
        "\"v\":1}},\"acquisition\":{\"start_angle\":0,\"stop_angle\":{\"value\":360,\"unit\":\"deg\"},\"direction\":"
        "\"CW\",\"number_of_projections\":3}}");
    write_text(folder, "vectors", 5, "\0", 1,
               "<NSI Reconstruction Project>\n<Object Radiograph>\n<file>r*.tif\n<pitch>0.2 0.2\n<number>3\n"
               "<angleStep>1\n</Object Radiograph>\n<Result>\n<source>0 0 -100\n<axis>0 -1 0\n<center>0 0 0\n"
               "<reference>0.4 0.2 300\n<normal>0 0 1\n<horizontal>-1 0 0\n</Result>\n<Detector>\n<width pixels>5\n"
               "<height pixels>3\n</Detector>\n");
    write_text(folder, "counts", 1, "\1", 1, "# events\n1 2\n3,0\n\n0\t3 # pair\n");
    write_text(folder, "counts", 2, "\1", 1, "7\n11\n");
    write_text(folder, "counts", 3, "\0", 1, "aaaabbbbccccddddaaaabbbbccccddddaaaabbbbccccddddaaaabbbbcccc\1\1\1\1");
    write_text(folder, "counts", 4, "\21", 1,
               "skip 2, u8 ring_a, u8 ring_b, u16 det_a, u16 det_b, u8 zero, u8 mark\n##\1\2aaaaaa");
    write_text(folder, "counts", 5, "\21", 1, "u16 a, u32 energy, u16 b\naabbbbccaabbbbcc");
    write_text(folder, "counts", 6, "\1MUPET CListModeData\0\0\0\0\0Not reca\1\2\0\0\1\0\0\0", 41, "");
    fuzz_matrix_seeds(folder);
    write_calls(arguments[1]);
    return 0;
}
